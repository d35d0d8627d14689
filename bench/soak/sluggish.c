/* A thought before each line that a bot sends: up to 6 ms, another one each time, so that games last
 * long enough for something to happen in them. It is linked over `send` (cc -Wl,--wrap=send). */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

ssize_t __real_send(int to, const void *data, size_t length, int flags);

ssize_t __wrap_send(int to, const void *data, size_t length, int flags)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t chance = (uint64_t)now.tv_nsec * 2685821657736338717u >> 40;
    nanosleep(&(struct timespec){0, (long)(chance % 6000000)}, NULL);
    return __real_send(to, data, length, flags);
}
