#include "bp-simd.h"
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_ (a, b)
#define STAGES JOIN (stereo_bp_stages_, STEREO_SIMD_NAME)
const StereoBpStages STAGES = { 0 };
