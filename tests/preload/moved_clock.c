// Loaded into a real program before its libraries (LD_PRELOAD): the wall clock is moved by as many
// seconds as the file named by MUSTER_TEST_CLOCK says, which a test changes while the program runs.
// The monotonic clock is left as it is, as when an operator sets a machine's clock.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

typedef int (*clock_function)(clockid_t, struct timespec*);

static clock_function real_clock;
static const _Atomic int64_t* moved_by;

__attribute__((constructor)) static void open_file(void) {
    *(void**)&real_clock = dlsym(RTLD_NEXT, "clock_gettime");
    const char* name = getenv("MUSTER_TEST_CLOCK");
    if (name == NULL) return;
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) _exit(125);
    void* seen = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (seen == MAP_FAILED) _exit(125);
    moved_by = seen;
}

static int64_t seconds(void) {
    return moved_by == NULL ? 0 : atomic_load(moved_by);
}

int clock_gettime(clockid_t which, struct timespec* now) {
    if (real_clock == NULL) open_file();
    const int done = real_clock(which, now);
    if (done == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        now->tv_sec += seconds();
    return done;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
    (void)zone;
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return -1;
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}

time_t time(time_t* into) {
    struct timespec exact;
    if (clock_gettime(CLOCK_REALTIME, &exact) != 0) return (time_t)-1;
    if (into != NULL) *into = exact.tv_sec;
    return exact.tv_sec;
}
