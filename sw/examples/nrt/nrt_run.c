/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program file on logical core 0: inputs from DIR/NAME.bin, outputs to DIR/NAME.bin.
 *
 *   tern compile sw/examples/matmul/matmul.yaml -o product.tern --data tensors
 *   nrt_run product.tern tensors
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nrt/nrt.h"
#include "nrt/nrt_experimental.h"
#include "nrt/tern.h"

static void check(NRT_STATUS status, const char* what) {
  if (status == NRT_SUCCESS) return;
  fprintf(stderr, "nrt_run: %s: %s: %s\n", what, nrt_get_status_as_str(status), tern_last_error());
  exit(1);
}

static void fail(const char* path, const char* why) {
  fprintf(stderr, "nrt_run: %s: %s\n", path, why);
  exit(2);
}

/* Exactly `size` bytes of a file; size 0: all of it, and how many there are. */
static void* read_file(const char* path, size_t size, size_t* count) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) fail(path, "cannot be read");
  fseek(file, 0, SEEK_END);
  const long end = ftell(file);
  rewind(file);
  if (end <= 0 || (size != 0 && (size_t)end != size)) fail(path, "has another size");
  void* bytes = malloc((size_t)end);
  if (bytes == NULL || fread(bytes, 1, (size_t)end, file) != (size_t)end)
    fail(path, "cannot be read");
  fclose(file);
  if (count != NULL) *count = (size_t)end;
  return bytes;
}

static void path_of(char* path, size_t size, const char* folder, const char* name) {
  if (strchr(name, '/') != NULL || name[0] == '.') fail(name, "a tensor that no file can be");
  snprintf(path, size, "%s/%s.bin", folder, name);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: nrt_run PROGRAM DIR\n");
    return 2;
  }
  size_t size = 0;
  void* program = read_file(argv[1], 0, &size);
  check(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
  nrt_model_t* model = NULL;
  check(nrt_load(program, size, 0, -1, &model), argv[1]);
  free(program);

  nrt_tensor_info_array_t* tensors = NULL;
  check(nrt_get_model_tensor_info(model, &tensors), "nrt_get_model_tensor_info");
  nrt_tensor_set_t* sets[2] = {NULL, NULL}; /* by usage */
  for (int usage = 0; usage < 2; ++usage)
    check(nrt_allocate_tensor_set(&sets[usage]), "nrt_allocate_tensor_set");
  nrt_tensor_t** handles = calloc(tensors->tensor_count + 1, sizeof *handles);
  char path[4096];
  for (uint64_t n = 0; n < tensors->tensor_count; ++n) {
    const nrt_tensor_info_t* info = &tensors->tensor_array[n];
    check(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, info->size, info->name, &handles[n]),
          info->name);
    check(nrt_add_tensor_to_tensor_set(sets[info->usage], info->name, handles[n]), info->name);
    if (info->usage != NRT_TENSOR_USAGE_INPUT) continue;
    path_of(path, sizeof path, argv[2], info->name);
    void* bytes = read_file(path, info->size, NULL);
    check(nrt_tensor_write(handles[n], bytes, 0, info->size), info->name);
    free(bytes);
  }

  check(nrt_execute(model, sets[NRT_TENSOR_USAGE_INPUT], sets[NRT_TENSOR_USAGE_OUTPUT]),
        "nrt_execute");
  printf("%s: %.3f us of simulated time\n", argv[1], (double)tern_model_time_ns(model) / 1000);

  for (uint64_t n = 0; n < tensors->tensor_count; ++n) {
    const nrt_tensor_info_t* info = &tensors->tensor_array[n];
    if (info->usage != NRT_TENSOR_USAGE_OUTPUT) continue;
    void* bytes = malloc(info->size);
    check(nrt_tensor_read(handles[n], bytes, 0, info->size), info->name);
    path_of(path, sizeof path, argv[2], info->name);
    FILE* file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, info->size, file) != info->size || fclose(file) != 0)
      fail(path, "cannot be written");
    free(bytes);
    printf("%s: %zu bytes\n", path, info->size);
  }
  free(handles);
  check(nrt_free_model_tensor_info(tensors), "nrt_free_model_tensor_info");
  nrt_close();
  return 0;
}
