/* Which path and method does what. openapi.json says the same for those who ask. */
#ifndef F0T_SERVER_ROUTES_H
#define F0T_SERVER_ROUTES_H

#include "request.h"

typedef enum route_work {
    ROUTE_NOW,  /* `run` is quick: the thread that receives requests calls it */
    ROUTE_TASK, /* `run` takes some time: called by the thread for tasks */
    ROUTE_JOB,  /* the same, minutes perhaps: by another thread */
    ROUTE_TAG   /* for the workers that tag */
} route_work;

typedef struct route {
    const char *method;
    const char *path; /* one part may be {name}: anything but a slash */
    route_work work;
    bool open;        /* to those without the token, too */
    bool linked;      /* pages of other sites may lead to it: it says nothing of the server's own */
    bool token_alone; /* refused where the server has no token */
    bool body;        /* has one */
    bool catalogue;   /* is there where the server has a catalogue alone */
    const char *
        parameters; /* in the address, with blanks around each; NULL: none, or those of a tag request */
    void (*run)(request *r);
} route;

extern const route routes[]; /* ends with a path of NULL */

/* The route, and in *argument a copy of what stands for {name}, to be freed. NULL: there is none; *allow then is the
 * methods that the path has, or NULL. HEAD is where GET is. */
const route *route_find(const char *method, const char *path, char **argument, const char **allow);
/* Its place in the table, for the metrics. */
size_t route_place(const route *r);

#endif
