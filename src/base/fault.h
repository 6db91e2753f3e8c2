/* Fault injection for tests: every call that can fail asks here first. */
#ifndef F0T_BASE_FAULT_H
#define F0T_BASE_FAULT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum f0t_fault { F0T_FAULT_ALLOC, F0T_FAULT_WRITE, F0T_FAULT_KINDS } f0t_fault;

/* Makes the n-th call (from 1) of this kind from now on fail, once; 0 turns it off. */
void f0t_fault_set(f0t_fault kind, uint64_t nth);

/* How many calls of this kind were made since f0t_fault_set. */
uint64_t f0t_fault_count(f0t_fault kind);

/* True when the calling function is to fail. */
bool f0t_fault_hit(f0t_fault kind);

#endif
