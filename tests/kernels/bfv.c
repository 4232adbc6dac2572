#include "harness.h"
int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], "--bench") == 0)
    return bench ("bfv", argc - 2, argv + 2);
  return 0;
}
