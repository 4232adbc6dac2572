#include "bfv-simd.h"
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_ (a, b)
#define STAGES JOIN (stereo_bfv_stages_, STEREO_SIMD_NAME)
const StereoBfvStages STAGES = {
  .scratch = stereo_bfv_scratch_cpu,
  .crosses = stereo_bfv_crosses_cpu,
  .match = stereo_bfv_match_cpu,
  .check = stereo_bfv_check_cpu,
  .vote = stereo_bfv_vote_cpu,
  .border = stereo_bfv_border_cpu,
};
