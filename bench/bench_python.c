/* bench_python.c - runs rank_from_python.py with the library and the module that were built. usage:
 * bench_python [PYTHON]
 */
#include <string.h>
#include <unistd.h>

#include "bench.h"

int main(int argc, char **argv)
{
    char folder[2048], library[2080], module[2080];
    snprintf(folder, sizeof folder, "%s", argv[0]);
    char *slash = strrchr(folder, '/');
    snprintf(slash ? slash : folder, 2, "%s", slash ? "" : ".");
    snprintf(library, sizeof library, "%s/../libwarpline.so", folder);
    snprintf(module, sizeof module, "%s/libsearch_from_c.so", folder);
    setenv("WARPLINE_LIBRARY", library, 1);
    setenv("PYTHONPATH", SOURCE_DIR "/python", 1);
    char *const words[] = {argc > 1 ? argv[1] : (char[]){"python3"}, (char[]){SOURCE_DIR "/bench/rank_from_python.py"},
                           module, NULL};
    execvp(words[0], words);
    printf("no %s here: searches from Python are not measured\n", words[0]);
    return 0;
}
