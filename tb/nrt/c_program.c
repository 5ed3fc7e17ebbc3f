/* SPDX-License-Identifier: Apache-2.0 */
/* The headers are C: a program as a user writes it, in C11. */
#include <stdio.h>
#include <stdlib.h>

#include "nrt/nrt.h"
#include "nrt/nrt_async.h"
#include "nrt/nrt_experimental.h"
#include "nrt/nrt_version.h"
#include "nrt/tern.h"

static void check(NRT_STATUS status, const char *what) {
  if (status == NRT_SUCCESS) return;
  fprintf(stderr, "%s: %s: %s\n", what, nrt_get_status_as_str(status), tern_last_error());
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  FILE *file = fopen(argv[1], "rb");
  if (file == NULL) return 2;
  static char bytes[1 << 20];
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);

  nrt_version_t version;
  check(nrt_get_version(&version, sizeof version), "nrt_get_version");
  printf("%s\n", version.rt_detail);
  check(nrt_init(NRT_FRAMEWORK_TYPE_NO_FW, "", ""), "nrt_init");
  nrt_model_t *model = NULL;
  check(nrt_load(bytes, size, 0, -1, &model), "nrt_load");

  nrt_tensor_info_array_t *tensors = NULL;
  check(nrt_get_model_tensor_info(model, &tensors), "nrt_get_model_tensor_info");
  nrt_tensor_set_t *sets[2] = {NULL, NULL}; /* by usage */
  check(nrt_allocate_tensor_set(&sets[0]), "nrt_allocate_tensor_set");
  check(nrt_allocate_tensor_set(&sets[1]), "nrt_allocate_tensor_set");
  nrt_tensor_t *output = NULL;
  for (uint64_t n = 0; n < tensors->tensor_count; ++n) {
    const nrt_tensor_info_t *info = &tensors->tensor_array[n];
    nrt_tensor_t *tensor = NULL;
    check(nrt_tensor_allocate(NRT_TENSOR_PLACEMENT_DEVICE, 0, info->size, info->name, &tensor),
          "nrt_tensor_allocate");
    if (info->usage == NRT_TENSOR_USAGE_INPUT) {
      float *ones = malloc(info->size);
      for (size_t i = 0; i < info->size / sizeof *ones; ++i) ones[i] = 1;
      check(nrt_tensor_write(tensor, ones, 0, info->size), "nrt_tensor_write");
      free(ones);
    } else {
      output = tensor;
    }
    check(nrt_add_tensor_to_tensor_set(sets[info->usage], info->name, tensor),
          "nrt_add_tensor_to_tensor_set");
  }
  check(nrt_free_model_tensor_info(tensors), "nrt_free_model_tensor_info");
  check(nrt_execute(model, sets[NRT_TENSOR_USAGE_INPUT], sets[NRT_TENSOR_USAGE_OUTPUT]),
        "nrt_execute");
  float first = 0;
  check(nrt_tensor_read(output, &first, 0, sizeof first), "nrt_tensor_read");
  printf("first element %g, %llu ns\n", first, (unsigned long long)tern_model_time_ns(model));
  nrt_close();
  return first == 2 ? 0 : 1;
}
