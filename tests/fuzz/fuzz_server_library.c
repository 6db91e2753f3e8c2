/* Requests about the pictures of a catalogue, of whoever may ask (server/library.h): a line of method and path, lines of a name,
 * '=' and a value, an empty line, and the body. The catalogue is sound, and the same for each input. */
#include "catalogue.h"
#include "fuzz.h"

#include "catalogue/scan.h"
#include "learn.h"
#include "library.h"
#include "routes.h"
#include "state.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, FILE_MOST = 1 << 20 };

static char folder[PATH_SIZE], path[PATH_SIZE + 16], words[PATH_SIZE + 16],
    model_path[PATH_SIZE + 16];
static char *sound; /* the catalogue's bytes */
static size_t sound_size;
static collection *pictures;
static server_options options = {.pictures = 4, .body = 1, .tagger = F0T_TAGGER_OPTIONS};
static server s = {.options = &options, .body_most = 1 << 20, .held_most = 1 << 20};

/* ---- What the fuzzer begins with -------------------------------------------------------------------- */

static void remove_beside(void)
{
    static const char *const ends[] = {"-wal", "-shm", "-journal", ".directions"};
    char beside[PATH_SIZE + 32];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(beside, sizeof beside, "%s%s", path, ends[i]);
        unlink(beside);
    }
}

static void finish(void)
{
    collection_close(pictures);
    served_release(s.model);
    remove_beside();
    unlink(path);
    unlink(words);
    unlink(model_path);
    rmdir(folder);
    free(sound);
}

static void open_pictures(void)
{
    need(collection_open(&pictures, path, words, NULL) == F0T_OK);
}

/* As if nothing had been asked. */
static void restore(void)
{
    collection_close(pictures);
    remove_beside();
    const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    need(fd >= 0 && write(fd, sound, sound_size) == (ssize_t)sound_size && close(fd) == 0);
    open_pictures();
}

static void start(void)
{
    uint64_t fingerprint;
    make_folder(folder, sizeof folder);
    atexit(finish);
    snprintf(path, sizeof path, "%s/c.f0c", folder);
    snprintf(words, sizeof words, "%s/v.txt", folder);
    snprintf(model_path, sizeof model_path, "%s/m.f0t", folder);
    f0t_model *model = make_model(words);
    need(f0t_model_save(model, model_path) == F0T_OK);
    f0t_model_free(model);
    need(f0t_file_hash(&fingerprint, model_path) == F0T_OK);
    fill_catalogue(path, model_path, fingerprint);
    FILE *file = fopen(path, "rb");
    sound = malloc(FILE_MOST);
    need(file && sound && (sound_size = fread(sound, 1, FILE_MOST, file)) > 0);
    need(fclose(file) == 0 && sound_size < FILE_MOST);
    options.tagger.features_only = true;
    need(served_open(&s.model, model_path, &options, NULL, NULL) == F0T_OK);
    pthread_mutex_init(&s.model_lock, NULL);
    open_pictures();
}

/* ---- A request --------------------------------------------------------------------------------------- */

/* As the server does with those of the address; false: it would have refused the request. */
static bool take_parameter(request *r, char *line)
{
    char wanted[64];
    char *value = strchr(line, '=');
    if (value)
        *value++ = 0;
    snprintf(wanted, sizeof wanted, " %.60s ", line);
    return r->route->parameters && !strchr(line, ' ') && strstr(r->route->parameters, wanted) &&
           json_object_set_new(r->query, line, json_string(value ? value : "")) == 0;
}

/* The lines before the body, which *text then is; false: there is no such request. */
static bool take_head(request *r, char **text)
{
    const char *allow;
    char *line = strsep(text, "\n"), *where = strchr(line, ' ');
    if (!where)
        return false;
    *where++ = 0;
    r->route = route_find(line, where, &r->argument, &allow);
    if (!r->route || !r->route->catalogue || r->route->run == learn_start)
        return false;
    r->query = json_object();
    while ((line = strsep(text, "\n")) && *line)
        if (!take_parameter(r, line))
            return false;
    return true;
}

static void take_body(request *r, const char *body, const char *end)
{
    request_expect_body(r, "application/json", NULL);
    if (body)
        request_receive(r, body, (size_t)(end - body));
    request_finish_body(r);
}

static void check_reply(const request *r)
{
    json_t *json;
    const reply *a = &r->reply;
    if (a->status < 200 || a->status > 599 || !a->type)
        abort();
    if (strstr(a->type, "json")) {
        if (!(json = json_loadb(a->text, a->size, JSON_REJECT_DUPLICATES, NULL)))
            abort();
        json_decref(json);
    }
}

static void ask(request *r, char *text, const char *end)
{
    if (!take_head(r, &text))
        return;
    if (r->route->body)
        take_body(r, text, end);
    r->collection = pictures;
    if (!r->reply.status)
        r->route->run(r);
    check_reply(r);
    if (r->route->run == library_write ||
        (!strcmp(r->route->method, "POST") && r->reply.status == MHD_HTTP_OK))
        restore();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!pictures)
        start();
    char *text = malloc(size + 1);
    request *r = request_create(&s, NULL);
    need(text && r);
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    ask(r, text, text + size);
    request_free(r);
    free(text);
    return 0;
}
