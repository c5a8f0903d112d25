#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Which files under a directory hold bytes that this process has written and not flushed to the
// disk since: a crash of the machine could take them back. Of write, pwrite, ftruncate and their
// like against fsync and fdatasync; mapped memory is not seen.
//
// Linked before the C library, so that everything in the process goes through it.

// From now on files under `directory` are watched, and all of them count as flushed. Empty: none.
void sync_watch_begin(const char* directory);
// How many of them hold such bytes now; the name of one is put into `name` when it is not null.
int sync_watch_unflushed(char* name, unsigned long name_size);
// How large a file was when it was last flushed: what is left of one that only grows. -1: not since
// it began.
long sync_watch_flushed_bytes(const char* path);
// How often one of them was written, and flushed, since it began.
unsigned long sync_watch_writes(void);
unsigned long sync_watch_flushes(void);

#ifdef __cplusplus
}
#endif
