/* gst-stereomatching: simulated CUDA runtime that records launches
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fake-runtime.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_KERNELS 1024
#define MAX_LAUNCHES 4096
#define DEFAULT_SHARED 49152    /* dynamic, without asking */

typedef struct
{
  const void *stub;             /* host function that launches it */
  const char *name;
  size_t shared_bytes;          /* that were asked for */
} Kernel;

static FakeChip chip;
static Kernel kernels[MAX_KERNELS];
static size_t n_kernels;
static FakeLaunch launches[MAX_LAUNCHES];
static size_t n_launches;
static cudaError_t last_error;

void
fake_chip_set (const FakeChip * new_chip)
{
  chip = *new_chip;
}

const FakeLaunch *
fake_launch_get (size_t index)
{
  return index < n_launches ? &launches[index] : NULL;
}

static Kernel *
find_kernel (const void *stub)
{
  for (size_t i = 0; i < n_kernels; i++) {
    if (kernels[i].stub == stub)
      return &kernels[i];
  }
  fprintf (stderr, "an unregistered kernel is used\n");
  abort ();
}

static cudaError_t
fail (cudaError_t error)
{
  last_error = error;
  return error;
}

static cudaError_t
record (const void *stub, dim3 block, size_t shared_bytes)
{
  const Kernel *kernel = find_kernel (stub);
  const unsigned threads = block.x * block.y * block.z;
  size_t i;

  if (shared_bytes > DEFAULT_SHARED && shared_bytes > kernel->shared_bytes)
    return fail (cudaErrorInvalidValue);
  for (i = 0; i < n_launches; i++) {
    if (launches[i].kernel == kernel->name && launches[i].threads == threads)
      break;
  }
  if (i == n_launches) {
    if (n_launches == MAX_LAUNCHES)
      abort ();
    launches[n_launches++] = (FakeLaunch) { kernel->name, threads, 0 };
  }
  if (launches[i].shared_bytes < shared_bytes)
    launches[i].shared_bytes = shared_bytes;
  return cudaSuccess;
}

/* ------------------------------------------------ functions that nvcc calls */

void **__cudaRegisterFatBinary (void *binary);
void __cudaRegisterFatBinaryEnd (void **handle);
void __cudaUnregisterFatBinary (void **handle);
void __cudaRegisterFunction (void **handle, const char *stub, char *function,
    const char *name, int thread_limit, void *tid, void *bid, void *block,
    void *grid, int *warp_size);
void __cudaRegisterVar (void **handle, char *host, char *address,
    const char *name, int external, size_t size, int constant, int global);
unsigned __cudaPushCallConfiguration (dim3 grid, dim3 block,
    size_t shared_bytes, void *stream);
cudaError_t __cudaPopCallConfiguration (dim3 * grid, dim3 * block,
    size_t * shared_bytes, void *stream);
#if CUDART_VERSION >= 12010
cudaError_t __cudaGetKernel (cudaKernel_t * kernel, const void *stub);
cudaError_t __cudaLaunchKernel (cudaKernel_t kernel, dim3 grid, dim3 block,
    void **arguments, size_t shared_bytes, cudaStream_t stream);
#endif

void **
__cudaRegisterFatBinary (void *binary)
{
  return binary;
}

void
__cudaRegisterFatBinaryEnd (void **handle)
{
  (void) handle;
}

void
__cudaUnregisterFatBinary (void **handle)
{
  (void) handle;
}

void
__cudaRegisterFunction (void **handle, const char *stub, char *function,
    const char *name, int thread_limit, void *tid, void *bid, void *block,
    void *grid, int *warp_size)
{
  (void) handle, (void) function, (void) thread_limit, (void) tid;
  (void) bid, (void) block, (void) grid, (void) warp_size;
  if (n_kernels == MAX_KERNELS)
    abort ();
  kernels[n_kernels++] = (Kernel) { stub, name, 0 };
}

void
__cudaRegisterVar (void **handle, char *host, char *address, const char *name,
    int external, size_t size, int constant, int global)
{
  (void) handle, (void) host, (void) address, (void) name, (void) external;
  (void) size, (void) constant, (void) global;
}

static struct
{
  dim3 grid, block;
  size_t shared_bytes;
  void *stream;
} pushed;

unsigned
__cudaPushCallConfiguration (dim3 grid, dim3 block, size_t shared_bytes,
    void *stream)
{
  pushed.grid = grid;
  pushed.block = block;
  pushed.shared_bytes = shared_bytes;
  pushed.stream = stream;
  return 0;
}

cudaError_t
__cudaPopCallConfiguration (dim3 * grid, dim3 * block, size_t * shared_bytes,
    void *stream)
{
  *grid = pushed.grid;
  *block = pushed.block;
  *shared_bytes = pushed.shared_bytes;
  memcpy (stream, &pushed.stream, sizeof (pushed.stream));
  return cudaSuccess;
}

#if CUDART_VERSION >= 12010
cudaError_t
__cudaGetKernel (cudaKernel_t * kernel, const void *stub)
{
  memcpy (kernel, &stub, sizeof (stub));
  return cudaSuccess;
}

cudaError_t
__cudaLaunchKernel (cudaKernel_t kernel, dim3 grid, dim3 block,
    void **arguments, size_t shared_bytes, cudaStream_t stream)
{
  (void) grid, (void) arguments, (void) stream;
  return record (kernel, block, shared_bytes);
}
#endif

/* ----------------------------------------------------------------- launches */

cudaError_t
cudaLaunchKernel (const void *stub, dim3 grid, dim3 block, void **arguments,
    size_t shared_bytes, cudaStream_t stream)
{
  (void) grid, (void) arguments, (void) stream;
  return record (stub, block, shared_bytes);
}

cudaError_t
cudaLaunchCooperativeKernel (const void *stub, dim3 grid, dim3 block,
    void **arguments, size_t shared_bytes, cudaStream_t stream)
{
  (void) grid, (void) arguments, (void) stream;
  return record (stub, block, shared_bytes);
}

/* Clusters have at most 8 blocks, as on any GPU that has them.  Code for GPUs
 * before 9.0 neither waits for the previous kernel nor for a cluster. */
cudaError_t
cudaLaunchKernelExC (const cudaLaunchConfig_t * config, const void *stub,
    void **arguments)
{
  cudaError_t error = record (stub, config->blockDim,
      config->dynamicSmemBytes);

  (void) arguments;
  if (config->numAttrs > 0 && chip.code < 90)
    return fail (cudaErrorInvalidConfiguration);
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const cudaLaunchAttribute *a = &config->attrs[i];

    if (a->id == cudaLaunchAttributeClusterDimension
        && a->val.clusterDim.x * a->val.clusterDim.y > 8)
      return fail (cudaErrorInvalidConfiguration);
  }
  return error;
}

cudaError_t
cudaFuncSetAttribute (const void *stub, enum cudaFuncAttribute attribute,
    int value)
{
  Kernel *kernel = find_kernel (stub);

  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    return cudaSuccess;
  if (value > chip.shared_limit)
    return fail (cudaErrorInvalidValue);
  kernel->shared_bytes = (size_t) value;
  return cudaSuccess;
}

cudaError_t
cudaFuncGetAttributes (struct cudaFuncAttributes *attributes, const void *stub)
{
  (void) stub;
  memset (attributes, 0, sizeof (*attributes));
  attributes->ptxVersion = chip.code;
  return cudaSuccess;
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags (int *blocks,
    const void *stub, int threads, size_t shared_bytes, unsigned flags)
{
  (void) stub, (void) threads, (void) shared_bytes, (void) flags;
  *blocks = 1;
  return cudaSuccess;
}

/* ------------------------------------------------------------------- device */

static CUresult
succeed (void)
{
  return CUDA_SUCCESS;
}

static CUresult
get_device (CUdevice * device, int ordinal)
{
  *device = ordinal;
  return CUDA_SUCCESS;
}

static CUresult
retain (CUcontext * context, CUdevice device)
{
  (void) device;
  *context = (CUcontext) & chip;
  return CUDA_SUCCESS;
}

static CUresult
get_state (CUdevice device, unsigned *flags, int *active)
{
  (void) device;
  *flags = 0;
  *active = 1;
  return CUDA_SUCCESS;
}

static cudaError_t
find_function (const char *name, void **function)
{
  /* ignores its arguments */
  void (*found) (void) = (void (*)(void)) succeed;

  if (strcmp (name, "cuDeviceGet") == 0)
    found = (void (*)(void)) get_device;
  else if (strcmp (name, "cuDevicePrimaryCtxRetain") == 0)
    found = (void (*)(void)) retain;
  else if (strcmp (name, "cuDevicePrimaryCtxGetState") == 0)
    found = (void (*)(void)) get_state;
  memcpy (function, &found, sizeof (found));
  return cudaSuccess;
}

#if CUDART_VERSION >= 12050
cudaError_t
cudaGetDriverEntryPointByVersion (const char *name, void **function,
    unsigned version, unsigned long long flags,
    enum cudaDriverEntryPointQueryResult *result)
{
  (void) version, (void) flags, (void) result;
  return find_function (name, function);
}
#else
cudaError_t
cudaGetDriverEntryPoint (const char *name, void **function,
    unsigned long long flags, enum cudaDriverEntryPointQueryResult *result)
{
  (void) flags, (void) result;
  return find_function (name, function);
}
#endif

cudaError_t
cudaGetDeviceCount (int *count)
{
  *count = 1;
  return cudaSuccess;
}

cudaError_t
cudaGetDevice (int *device)
{
  *device = 0;
  return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties (struct cudaDeviceProp *properties, int device)
{
  (void) device;
  memset (properties, 0, sizeof (*properties));
  snprintf (properties->name, sizeof (properties->name), "simulated");
  properties->major = chip.capability / 10;
  properties->minor = chip.capability % 10;
  properties->multiProcessorCount = chip.multiprocessors;
  properties->sharedMemPerBlockOptin = (size_t) chip.shared_limit;
  properties->cooperativeLaunch = 1;
  return cudaSuccess;
}

cudaError_t
cudaGetLastError (void)
{
  cudaError_t error = last_error;

  last_error = cudaSuccess;
  return error;
}

const char *
cudaGetErrorName (cudaError_t error)
{
  return error == cudaErrorInvalidValue ? "invalid value" : "error";
}

const char *
cudaGetErrorString (cudaError_t error)
{
  return cudaGetErrorName (error);
}

/* ------------------------------------------------------------------- memory */

cudaError_t
cudaMalloc (void **memory, size_t bytes)
{
  static uintptr_t next = UINT64_C (1) << 46;

  *memory = (void *) next;
  next += (bytes + 4095) / 4096 * 4096;
  return cudaSuccess;
}

cudaError_t
cudaFree (void *memory)
{
  (void) memory;
  return cudaSuccess;
}

/* Before page-locked memory: its size.  Only used pages are allocated. */
#define HEADER 4096

cudaError_t
cudaHostAlloc (void **memory, size_t bytes, unsigned flags)
{
  uint8_t *mapped = mmap (NULL, bytes + HEADER, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  (void) flags;
  if (mapped == MAP_FAILED)
    return fail (cudaErrorMemoryAllocation);
  memcpy (mapped, &bytes, sizeof (bytes));
  *memory = mapped + HEADER;
  return cudaSuccess;
}

cudaError_t
cudaFreeHost (void *memory)
{
  uint8_t *mapped = (uint8_t *) memory - HEADER;
  size_t bytes;

  if (memory == NULL)
    return cudaSuccess;
  memcpy (&bytes, mapped, sizeof (bytes));
  munmap (mapped, bytes + HEADER);
  return cudaSuccess;
}

cudaError_t
cudaHostRegister (void *memory, size_t bytes, unsigned flags)
{
  (void) memory, (void) bytes, (void) flags;
  return cudaSuccess;
}

cudaError_t
cudaHostUnregister (void *memory)
{
  (void) memory;
  return cudaSuccess;
}

cudaError_t
cudaMemGetInfo (size_t * available, size_t * total)
{
  *available = *total = (size_t) 1 << 40;
  return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync (void *target, const void *source, size_t bytes,
    enum cudaMemcpyKind kind, cudaStream_t stream)
{
  (void) source, (void) stream;
  if (kind == cudaMemcpyDeviceToHost)
    memset (target, 0, bytes);
  return cudaSuccess;
}

cudaError_t
cudaMemcpy (void *target, const void *source, size_t bytes,
    enum cudaMemcpyKind kind)
{
  return cudaMemcpyAsync (target, source, bytes, kind, NULL);
}

cudaError_t
cudaMemcpy2DAsync (void *target, size_t target_stride, const void *source,
    size_t source_stride, size_t width, size_t height,
    enum cudaMemcpyKind kind, cudaStream_t stream)
{
  (void) source, (void) source_stride, (void) stream;
  for (size_t y = 0; kind == cudaMemcpyDeviceToHost && y < height; y++)
    memset ((char *) target + y * target_stride, 0, width);
  return cudaSuccess;
}

cudaError_t
cudaMemsetAsync (void *memory, int value, size_t bytes, cudaStream_t stream)
{
  (void) memory, (void) value, (void) bytes, (void) stream;
  return cudaSuccess;
}

/* ------------------------------------------------------- streams and events */

cudaError_t
cudaStreamCreateWithFlags (cudaStream_t * stream, unsigned flags)
{
  (void) flags;
  *stream = (cudaStream_t) & chip;
  return cudaSuccess;
}

cudaError_t
cudaStreamDestroy (cudaStream_t stream)
{
  (void) stream;
  return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize (cudaStream_t stream)
{
  (void) stream;
  return cudaSuccess;
}

cudaError_t
cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
  (void) stream, (void) event, (void) flags;
  return cudaSuccess;
}

cudaError_t
cudaEventCreate (cudaEvent_t * event)
{
  *event = (cudaEvent_t) & chip;
  return cudaSuccess;
}

cudaError_t
cudaEventCreateWithFlags (cudaEvent_t * event, unsigned flags)
{
  (void) flags;
  return cudaEventCreate (event);
}

cudaError_t
cudaEventDestroy (cudaEvent_t event)
{
  (void) event;
  return cudaSuccess;
}

cudaError_t
cudaEventRecord (cudaEvent_t event, cudaStream_t stream)
{
  (void) event, (void) stream;
  return cudaSuccess;
}

cudaError_t
cudaEventSynchronize (cudaEvent_t event)
{
  (void) event;
  return cudaSuccess;
}

cudaError_t
cudaEventElapsedTime (float *ms, cudaEvent_t begin, cudaEvent_t end)
{
  (void) begin, (void) end;
  *ms = 0;
  return cudaSuccess;
}

/* ------------------------------------------------------------------- graphs */

cudaError_t
cudaStreamBeginCapture (cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
  (void) stream, (void) mode;
  return cudaSuccess;
}

cudaError_t
cudaStreamEndCapture (cudaStream_t stream, cudaGraph_t * graph)
{
  (void) stream;
  *graph = (cudaGraph_t) & chip;
  return cudaSuccess;
}

cudaError_t
cudaGraphGetNodes (cudaGraph_t graph, cudaGraphNode_t * nodes, size_t * n)
{
  (void) graph, (void) nodes;
  *n = 0;
  return cudaSuccess;
}

cudaError_t
cudaGraphDestroy (cudaGraph_t graph)
{
  (void) graph;
  return cudaSuccess;
}

cudaError_t
cudaGraphInstantiateWithFlags (cudaGraphExec_t * exec, cudaGraph_t graph,
    unsigned long long flags)
{
  (void) graph, (void) flags;
  *exec = (cudaGraphExec_t) & chip;
  return cudaSuccess;
}

#if CUDART_VERSION >= 12000
cudaError_t
cudaGraphExecUpdate (cudaGraphExec_t exec, cudaGraph_t graph,
    cudaGraphExecUpdateResultInfo * info)
{
  (void) exec, (void) graph, (void) info;
  return cudaSuccess;
}
#else
cudaError_t
cudaGraphExecUpdate (cudaGraphExec_t exec, cudaGraph_t graph,
    cudaGraphNode_t * node, enum cudaGraphExecUpdateResult *result)
{
  (void) exec, (void) graph, (void) node, (void) result;
  return cudaSuccess;
}
#endif

cudaError_t
cudaGraphLaunch (cudaGraphExec_t exec, cudaStream_t stream)
{
  (void) exec, (void) stream;
  return cudaSuccess;
}

cudaError_t
cudaGraphExecDestroy (cudaGraphExec_t exec)
{
  (void) exec;
  return cudaSuccess;
}
