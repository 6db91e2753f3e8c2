/* fast0tag serve: tags by HTTP. */
#include "cli.h"
#include "import.h"
#include "serve_demo.h"
#include "server.h"
#include "tag_words.h"

#include <string.h>

typedef struct options {
    const char *words, *arithmetic, *output;
    bool demo, cache_network;
    cli_list names;
    server_options server;
} options;

static const options defaults = {.arithmetic = "f32",
                                 .server = {.tagger = F0T_TAGGER_OPTIONS,
                                            .host = "127.0.0.1",
                                            .port = 8077,
                                            .queue = 256,
                                            .batch = 32,
                                            .workers = 2,
                                            .body = 64,
                                            .memory = 1024,
                                            .pictures = 64,
                                            .pixels = 100,
                                            .picture_seconds = 5,
                                            .timeout = 30,
                                            .drain = 10}};

static void say_ready(void *user, const char *url)
{
    const cli_context *cli = user;
    printf(cli->json ? "{\"url\": \"%s\"}\n" : "listening on %s\n", url);
    if (fflush(stdout) != 0) /* a full disk: it serves, but nobody would know where */
        fprintf(stderr, "warning: cannot write to standard output; listening on %s\n", url);
}

/* The words of a file need the model: whether its vectors are centred. */
static f0t_status open_words(f0t_vocab **out, cli_context *cli, const options *o)
{
    f0t_model *model = NULL;
    *out = NULL;
    if (!o->words)
        return F0T_OK;
    if (!cli->operand_count)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--vocab needs MODEL");
    f0t_status status = f0t_model_load(&model, cli->operands[0], cli->context);
    if (status == F0T_OK)
        status = tag_words_open(out, cli, o->words, o->server.vectors, model);
    f0t_model_free(model);
    return status;
}

#define DEMO_FOLDER "fast0tag-demo"

/* Model, catalogue and vectors: those that are named, or the demo's. */
static f0t_status choose_files(server_options *server, serve_demo *demo, cli_context *cli,
                               const options *o)
{
    const char *operand = cli->operand_count ? cli->operands[0] : NULL;
    if (!o->demo) {
        if (o->output)
            return cli_fail(cli, F0T_ERROR_ARGUMENT,
                            "-o is the folder of --demo, which is not given");
        server->model = operand;
        if (!operand && !server->catalogue)
            server->catalogue = ""; /* the user's own */
        return F0T_OK;
    }
    server->catalogue = demo->catalogue;
    server->vectors = demo->vectors;
    return serve_demo_prepare(demo, cli, o->output ? o->output : DEMO_FOLDER, operand);
}

static f0t_status run(cli_context *cli, const void *given)
{
    static serve_demo demo;
    const options *o = given;
    server_options server = o->server;
    f0t_vocab *vocab;
    f0t_status status = open_words(&vocab, cli, o);
    if (status == F0T_OK)
        status = choose_files(&server, &demo, cli, o);
    server.vocab = vocab;
    server.tagger.bf16 = !strcmp(o->arithmetic, "bf16");
    server.tagger.network_cache = cli_cache_folder(o->cache_network);
    server.names = o->names.items;
    server.name_count = o->names.count;
    server.threads = cli->threads;
    server.device = cli->device;
    server.monitor = cli->monitor;
    server.ready = say_ready;
    server.user = cli;
    if (status == F0T_OK && f0t_picture_sandbox(true) == F0T_SANDBOX_NONE)
        fprintf(stderr, "warning: pictures are decoded without a sandbox, which this kernel or "
                        "build does not have: take none from strangers (docs/security.md)\n");
    if (status == F0T_OK)
        status = server_run(&server);
    f0t_vocab_free(vocab);
    return status;
}

static const cli_conflict conflicts[] = {
    {"demo", "catalogue"}, {"demo", "vectors"}, {"demo", "vocab"}, {.one = NULL}};

#define AT(field) offsetof(options, field)
static const cli_option table[] = {
    {"host", 0, CLI_TEXT, AT(server.host), "ADDRESS",
     "Address to listen on. Default 127.0.0.1: this machine alone. Another one needs --token-file.",
     NULL},
    {"port", 'p', CLI_SIZE, AT(server.port), "N", "Port; 0 takes one that is free. Default 8077.",
     NULL},
    {"token-file", 0, CLI_TEXT, AT(server.token_file), "FILE",
     "A file with a token of 16 characters or more. Requests must have it: 'Authorization: Bearer "
     "TOKEN'.",
     NULL},
    {"allow-host", 0, CLI_LIST, AT(names), "NAME",
     "A further name that requests may call this server by, such as that of a reverse proxy. May "
     "be "
     "given several times.",
     NULL},
    {"catalogue", 'c', CLI_TEXT, AT(server.catalogue), "FILE",
     "A catalogue of pictures ('fast0tag index'): its pictures are found, reviewed and written. "
     "Its "
     "model and vectors are served unless others are named.",
     NULL},
    {"demo", 0, CLI_FLAG, AT(demo), NULL,
     "Serve the pictures of the demo: Debian's clip art, or those of the folder that stands in "
     "place "
     "of MODEL. What is not there yet is made first: features, model, catalogue (minutes).",
     NULL},
    {"output", 'o', CLI_TEXT, AT(output), "DIR",
     "Folder of the demo, as 'fast0tag demo' makes it. Default " DEMO_FOLDER ".", NULL},
    {"vectors", 0, CLI_TEXT, AT(server.vectors), "FILE",
     "Word vectors for words that requests bring; the same that the model was trained with.", NULL},
    {"vocab", 0, CLI_TEXT, AT(words), "FILE",
     "Words to rank where a request brings none, one per line, with --vectors; or a vocabulary "
     "file. Default: the model's tags.",
     NULL},
    {"backbone", 0, CLI_TEXT, AT(server.tagger.backbone), "WHAT",
     "For models that were trained on bare features: 'builtin', or a network, FILE.onnx.", NULL},
    {"preset", 0, CLI_CHOICE, AT(server.tagger.preset), "NAME",
     "How pictures are prepared for the network. Default: as FILE.json beside it says.",
     "imagenet|caffe-vgg|mobilenet|clip"},
    {"arithmetic", 0, CLI_CHOICE, AT(arithmetic), "TYPE", "Arithmetic of the network. Default f32.",
     "f32|bf16"},
    CLI_NETWORK_CACHE_OPTION(AT(cache_network)),
    {"queue", 0, CLI_COUNT, AT(server.queue), "N",
     "Requests that may wait; more are answered with 429. Default 256.", NULL},
    {"batch", 0, CLI_COUNT, AT(server.batch), "N",
     "Pictures that are tagged together at most. Default 32.", NULL},
    {"workers", 0, CLI_COUNT, AT(server.workers), "N",
     "Batches at a time, which share the cores: one is decoded while another goes through the "
     "network. Default 2, and one more while a picture takes long.",
     NULL},
    {"connections", 0, CLI_COUNT, AT(server.connections), "N",
     "Open connections at most. Default 4096, or what the limit of open files allows.", NULL},
    {"max-body", 0, CLI_COUNT, AT(server.body), "MB",
     "Size of a request at most, in megabytes. Default 64.", NULL},
    {"max-memory", 0, CLI_COUNT, AT(server.memory), "MB",
     "Size of all requests in memory at most; more are answered with 429. Default 1024.", NULL},
    {"max-pictures", 0, CLI_COUNT, AT(server.pictures), "N",
     "Pictures, or rows of features, in one request at most. Default 64.", NULL},
    {"max-pixels", 0, CLI_COUNT, AT(server.pixels), "MILLIONS",
     "Pixels of a picture at most, in millions. Default 100.", NULL},
    {"max-picture-time", 0, CLI_COUNT, AT(server.picture_seconds), "SECONDS",
     "Processor time for decoding a picture at most. Default 5.", NULL},
    {"timeout", 0, CLI_COUNT, AT(server.timeout), "SECONDS",
     "Time for receiving a request, and for sending its answer; connections without a request are "
     "closed after it. Default 30.",
     NULL},
    {"drain", 0, CLI_SIZE, AT(server.drain), "SECONDS",
     "Time that requests under way have to end after SIGTERM. Default 10.", NULL},
    {"access-log", 0, CLI_FLAG, AT(server.access_log), NULL,
     "One line per request on standard error.", NULL},
    {.name = NULL},
};

static const cli_example examples[] = {
    {"fast0tag serve photos.f0t --vectors glove.f0t",
     "Then: curl --data-binary @dog.jpg http://127.0.0.1:8077/v1/tag"},
    {"fast0tag serve -c catalogue.f0t", "The page of a collection."},
    {"fast0tag serve --demo", "The same with clip art."},
    {"fast0tag serve photos.f0t --host 0.0.0.0 --token-file token --allow-host tags.example.org",
     "For other machines."},
    {.command = NULL},
};

const cli_verb cli_verb_serve = {
    .name = "serve",
    .summary = "tag pictures by HTTP",
    .operands = "[MODEL]",
    .least = 0,
    .most = 1,
    .description =
        "Answers POST /v1/tag with the tags of a picture, of several pictures of a form, or of "
        "features as JSON; /openapi.json describes all requests, docs/server.md explains them. "
        "Pictures "
        "of requests that come at the same time are tagged together.\n\n"
        "It can be reached from this machine alone unless --host says otherwise. SIGHUP loads the "
        "model file again while the old model goes on answering; SIGTERM and Ctrl-C end the server "
        "after the requests that are under way.",
    .options = table,
    .conflicts = conflicts,
    .examples = examples,
    .json = true,
    .pictures = true,
    .device = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run,
};
