#define _GNU_SOURCE
#include "tests/preload/sync_watch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { files_max = 256, path_max = 512 };

struct watched {
    dev_t device;
    ino_t number;
    bool unflushed;
    long flushed_bytes;
    char path[path_max];
};

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static struct watched files[files_max];
static int count;
static char watched_directory[path_max];
static unsigned long writes;
static unsigned long flushes;

// The entry of an open file below the watched directory; null for any other. Under the guard.
static struct watched* entry_of(int descriptor) {
    if (watched_directory[0] == '\0') return NULL;
    struct stat found;
    if (fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode)) return NULL;
    for (int at = 0; at < count; ++at)
        if (files[at].device == found.st_dev && files[at].number == found.st_ino) return &files[at];
    char link[64];
    char path[path_max];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return NULL;
    path[size] = '\0';
    const size_t prefix = strlen(watched_directory);
    if (strncmp(path, watched_directory, prefix) != 0 || path[prefix] != '/') return NULL;
    if (count == files_max) return NULL;
    struct watched* added = &files[count++];
    added->device = found.st_dev;
    added->number = found.st_ino;
    added->unflushed = false;
    added->flushed_bytes = -1;
    memcpy(added->path, path, (size_t)size + 1);
    return added;
}

static void wrote(int descriptor) {
    pthread_mutex_lock(&guard);
    struct watched* file = entry_of(descriptor);
    if (file != NULL) {
        file->unflushed = true;
        ++writes;
    }
    pthread_mutex_unlock(&guard);
}

static long size_of(int descriptor) {
    struct stat found;
    return fstat(descriptor, &found) == 0 ? (long)found.st_size : -1;
}

static void flushed(int descriptor, long size) {
    pthread_mutex_lock(&guard);
    struct watched* file = entry_of(descriptor);
    if (file != NULL) {
        file->unflushed = false;
        file->flushed_bytes = size;
        ++flushes;
    }
    pthread_mutex_unlock(&guard);
}

void sync_watch_begin(const char* directory) {
    pthread_mutex_lock(&guard);
    snprintf(watched_directory, sizeof watched_directory, "%s", directory);
    count = 0;
    writes = 0;
    flushes = 0;
    pthread_mutex_unlock(&guard);
}

int sync_watch_unflushed(char* name, unsigned long name_size) {
    int found = 0;
    pthread_mutex_lock(&guard);
    for (int at = 0; at < count; ++at) {
        if (!files[at].unflushed) continue;
        ++found;
        if (name != NULL) snprintf(name, name_size, "%s", files[at].path);
    }
    pthread_mutex_unlock(&guard);
    return found;
}

long sync_watch_flushed_bytes(const char* path) {
    long size = -1;
    pthread_mutex_lock(&guard);
    for (int at = 0; at < count; ++at)
        if (strcmp(files[at].path, path) == 0) size = files[at].flushed_bytes;
    pthread_mutex_unlock(&guard);
    return size;
}

unsigned long sync_watch_writes(void) {
    pthread_mutex_lock(&guard);
    const unsigned long now = writes;
    pthread_mutex_unlock(&guard);
    return now;
}

unsigned long sync_watch_flushes(void) {
    pthread_mutex_lock(&guard);
    const unsigned long now = flushes;
    pthread_mutex_unlock(&guard);
    return now;
}

// What comes next in the order of libraries: the C library's own.
#define REAL(name, type)                                    \
    static type real;                                       \
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #name)

// A write counts from before it is made: a flush that runs beside it need not have covered it.
ssize_t write(int to, const void* bytes, size_t size) {
    typedef ssize_t (*function)(int, const void*, size_t);
    REAL(write, function);
    wrote(to);
    return real(to, bytes, size);
}

ssize_t pwrite(int to, const void* bytes, size_t size, off_t at) {
    typedef ssize_t (*function)(int, const void*, size_t, off_t);
    REAL(pwrite, function);
    wrote(to);
    return real(to, bytes, size, at);
}

ssize_t pwrite64(int to, const void* bytes, size_t size, off64_t at) {
    typedef ssize_t (*function)(int, const void*, size_t, off64_t);
    REAL(pwrite64, function);
    wrote(to);
    return real(to, bytes, size, at);
}

ssize_t writev(int to, const struct iovec* pieces, int how_many) {
    typedef ssize_t (*function)(int, const struct iovec*, int);
    REAL(writev, function);
    wrote(to);
    return real(to, pieces, how_many);
}

int ftruncate(int file, off_t size) {
    typedef int (*function)(int, off_t);
    REAL(ftruncate, function);
    wrote(file);
    return real(file, size);
}

int ftruncate64(int file, off64_t size) {
    typedef int (*function)(int, off64_t);
    REAL(ftruncate64, function);
    wrote(file);
    return real(file, size);
}

int fsync(int file) {
    typedef int (*function)(int);
    REAL(fsync, function);
    const long size = size_of(file);
    const int done = real(file);
    if (done == 0) flushed(file, size);
    return done;
}

int fdatasync(int file) {
    typedef int (*function)(int);
    REAL(fdatasync, function);
    const long size = size_of(file);
    const int done = real(file);
    if (done == 0) flushed(file, size);
    return done;
}
