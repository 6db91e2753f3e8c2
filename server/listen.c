#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

static f0t_status fail(const char *host, size_t port, const char *why)
{
    char line[300];
    snprintf(line, sizeof line, "cannot listen on %.200s, port %zu: %s", host, port, why);
    return f0t_error_set(F0T_ERROR_IO, line);
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        return ntohl(in.sin_addr.s_addr) >> 24 == 127;
    }
    struct sockaddr_in6 in6;
    memcpy(&in6, address, sizeof in6);
    return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
}

/* NULL, or why the address is not known. */
static const char *write_url(char *url, int socket)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    char host[64], port[8];
    if (getsockname(socket, (struct sockaddr *)&address, &length) != 0)
        return strerror(errno);
    const int failed = getnameinfo((struct sockaddr *)&address, length, host, sizeof host, port,
                                   sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    if (failed)
        return gai_strerror(failed);
    const bool v6 = strchr(host, ':') != NULL;
    snprintf(url, LISTEN_URL_MOST, "http://%s%s%s:%s/", v6 ? "[" : "", host, v6 ? "]" : "", port);
    return NULL;
}

static int open_socket(const struct addrinfo *at)
{
    const int on = 1;
    const int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    const int failed = errno;
    close(fd);
    errno = failed;
    return -1;
}

f0t_status listen_open(int *out, bool *loopback, char url[LISTEN_URL_MOST], const char *host,
                       size_t port)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found;
    char service[24];
    snprintf(service, sizeof service, "%zu", port);
    const int failed = getaddrinfo(host, service, &hints, &found);
    if (failed)
        return fail(host, port, gai_strerror(failed));
    *out = open_socket(found);
    const int error = errno;
    *loopback = is_loopback(found->ai_addr);
    freeaddrinfo(found);
    if (*out < 0)
        return fail(host, port, strerror(error));
    const char *unknown = write_url(url, *out);
    if (!unknown)
        return F0T_OK;
    close(*out);
    *out = -1;
    return fail(host, port, unknown);
}

void listen_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    const size_t length = path ? strlen(path) : 0;
    if (!length || length >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(to.sun_path, path, length);
    if (path[0] == '@')
        to.sun_path[0] = 0;
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&to,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length));
    close(fd);
}
