/* gst-stereomatching: shared code of the command line tools
 * Copyright (C) 2026 The gst-stereomatching authors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "cli.h"
#include "stereo-cuda.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *
cli_resize (void *memory, size_t bytes)
{
  void *result = realloc (memory, bytes);

  if (result == NULL) {
    fprintf (stderr, "out of memory\n");
    exit (CLI_FAILED);
  }
  return result;
}

void
cli_die (const char *program, const char *text, ...)
{
  va_list arguments;

  fprintf (stderr, "%s: ", program);
  va_start (arguments, text);
  vfprintf (stderr, text, arguments);
  va_end (arguments);
  putc ('\n', stderr);
  exit (CLI_BAD_INPUT);
}

char *
cli_format (const char *text, ...)
{
  va_list arguments;
  char *result;
  int length;

  va_start (arguments, text);
  length = vsnprintf (NULL, 0, text, arguments);
  va_end (arguments);
  if (length < 0)
    length = 0;
  result = cli_resize (NULL, (size_t) length + 1);
  va_start (arguments, text);
  vsnprintf (result, (size_t) length + 1, text, arguments);
  va_end (arguments);
  return result;
}

bool
cli_number (const char *text, double *value)
{
  char *end;
  double number = strtod (text, &end);

  if (end == text || *end != '\0' || !isfinite (number))
    return false;
  *value = number;
  return true;
}

bool
cli_is_assignment (const char *text)
{
  return text[strcspn (text, "= \t")] == '=';
}

bool
cli_exists (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0;
}

bool
cli_fail (StereoMessage * why, const char *text, ...)
{
  va_list arguments;

  va_start (arguments, text);
  vsnprintf (why->text, sizeof (why->text), text, arguments);
  va_end (arguments);
  return false;
}

/* ------------------------------------------------------------------ setups */

static void
make_label (CliSetup * setup)
{
  free (setup->label);
  setup->label = cli_format ("%s", stereo_algorithm_name (setup->algorithm));
  for (size_t i = 0; i < setup->n_properties; i++) {
    char *longer = cli_format ("%s %s=%s", setup->label,
        setup->property[i].name, setup->property[i].value);

    free (setup->label);
    setup->label = longer;
  }
}

static void
setup_clear (CliSetup * setup)
{
  stereo_params_free (&setup->params);
  for (size_t i = 0; i < setup->n_properties; i++) {
    free (setup->property[i].name);
    free (setup->property[i].value);
  }
  free (setup->property);
  free (setup->label);
}

static void
setup_new (CliSetup * setup, const StereoAlgorithm * algorithm)
{
  memset (setup, 0, sizeof (*setup));
  setup->algorithm = algorithm;
  if (stereo_params_new (algorithm, &setup->params) != STEREO_OK) {
    fprintf (stderr, "out of memory\n");
    exit (CLI_FAILED);
  }
  make_label (setup);
}

/* Whether the algorithm takes weights=FILE: it has the property cost. */
static bool
takes_weights (const StereoAlgorithm * algorithm)
{
  const StereoParamSpec *spec;

  for (size_t i = 0; (spec = stereo_algorithm_param (algorithm, i)) != NULL;
      i++) {
    if (strcmp (spec->name, "cost") == 0)
      return true;
  }
  return false;
}

/* Writes what is wrong with a property and what it accepts. */
static bool
property_fail (const CliSetup * setup, const char *name, const char *value,
    const char *reason, StereoMessage * why)
{
  const char *algorithm = stereo_algorithm_name (setup->algorithm);
  const StereoParamSpec *spec;
  size_t i = 0;
  int used;

  while ((spec = stereo_algorithm_param (setup->algorithm, i)) != NULL
      && strcmp (spec->name, name) != 0)
    i++;
  if (spec == NULL && strcmp (name, "weights") == 0
      && takes_weights (setup->algorithm))
    return cli_fail (why, "%s: %.400s", algorithm, reason);
  if (spec == NULL)
    return cli_fail (why, "%s has no property '%.100s'; --list shows all "
        "properties", algorithm, name);
  if (spec->type != STEREO_PARAM_ENUM)
    return cli_fail (why, "%s: %.400s", algorithm, reason);

  used = snprintf (why->text, sizeof (why->text), "%s: %s = '%.64s': expected",
      algorithm, name, value);
  for (int v = 0; v <= (int) spec->maximum && used > 0
      && (size_t) used < sizeof (why->text); v++)
    used += snprintf (why->text + used, sizeof (why->text) - (size_t) used,
        "%s %s", v == 0 ? "" : v == (int) spec->maximum ? " or" : ",",
        spec->values[v].nick);
  return false;
}

static bool
setup_set (CliSetup * setup, const char *name, const char *value,
    StereoMessage * why)
{
  StereoMessage reason = { "" };
  StereoStatus status;
  size_t i;

  status = stereo_params_set_text (setup->params, name, value, &reason);
  if (status != STEREO_OK)
    return property_fail (setup, name, value, reason.text, why);

  for (i = 0; i < setup->n_properties; i++) {
    if (strcmp (setup->property[i].name, name) == 0)
      break;
  }
  if (i == setup->n_properties) {
    setup->property = cli_resize (setup->property,
        ++setup->n_properties * sizeof (*setup->property));
    setup->property[i].name = cli_format ("%s", name);
  } else {
    free (setup->property[i].value);
  }
  setup->property[i].value = cli_format ("%s", value);
  make_label (setup);
  return true;
}

const char *
cli_setup_property (const CliSetup * setup, const char *name)
{
  for (size_t i = 0; i < setup->n_properties; i++) {
    if (strcmp (setup->property[i].name, name) == 0)
      return setup->property[i].value;
  }
  return NULL;
}

bool
cli_setup_choose_scale (const CliSetup * setup, StereoParams * params,
    StereoMessage * why)
{
  double disparities = 0, scale = 256;

  if (cli_setup_property (setup, "disparity-scale") != NULL)
    return true;
  if (!stereo_params_get (params, "num-disparities", &disparities))
    return cli_fail (why, "num-disparities is missing");
  while (scale > 1 && (disparities - 1) * scale >= 65535)
    scale /= 2;
  return stereo_params_set (params, "disparity-scale", scale, why)
      == STEREO_OK;
}

/* Splits "NAME=VALUE"; *name is for free(), *value points into text. */
static bool
split_assignment (const char *text, char **name, const char **value,
    StereoMessage * why)
{
  const char *equals = strchr (text, '=');

  if (equals == NULL || equals == text)
    return cli_fail (why, "Expected PROPERTY=VALUE, got '%.200s'", text);
  *name = cli_format ("%.*s", (int) (equals - text), text);
  *value = equals + 1;
  return true;
}

static CliSetup *
setups_append (CliSetups * setups)
{
  setups->item = cli_resize (setups->item,
      (setups->n + 1) * sizeof (*setups->item));
  return &setups->item[setups->n++];
}

/* Sets "NAME=VALUE". */
static bool
setup_assign (CliSetup * setup, const char *text, StereoMessage * why)
{
  char *name = NULL;
  const char *value = NULL;
  bool good = split_assignment (text, &name, &value, why)
      && setup_set (setup, name, value, why);

  free (name);
  return good;
}

/* As cli_setups_add(), after the common properties, which may have blanks. */
static bool
add_setup (CliSetups * setups, const char *text, const CliTexts * common,
    StereoMessage * why)
{
  char *copy = cli_format ("%s", text), *rest = NULL;
  const char *word = strtok_r (copy, " \t\n", &rest);
  const StereoAlgorithm *algorithm = word ? stereo_algorithm_find (word) : NULL;
  CliSetup setup;
  bool good = true;

  if (algorithm == NULL) {
    cli_fail (why, "no algorithm is called '%.200s'; --list shows all "
        "algorithms", word ? word : "");
    free (copy);
    return false;
  }
  setup_new (&setup, algorithm);
  for (size_t i = 0; good && i < common->n; i++)
    good = setup_assign (&setup, common->item[i], why);
  while (good && (word = strtok_r (NULL, " \t\n", &rest)) != NULL)
    good = setup_assign (&setup, word, why);
  free (copy);
  if (good)
    *setups_append (setups) = setup;
  else
    setup_clear (&setup);
  return good;
}

bool
cli_setups_add (CliSetups * setups, const char *text, StereoMessage * why)
{
  const CliTexts none = { NULL, 0 };

  return add_setup (setups, text, &none, why);
}

bool
cli_setups_add_all (CliSetups * setups, StereoMessage * why)
{
  const StereoAlgorithm *algorithm;
  bool good = true;

  for (size_t i = 0; good && (algorithm = stereo_algorithm_get (i)) != NULL;
      i++)
    good = cli_setups_add (setups, stereo_algorithm_name (algorithm), why);
  return good;
}

bool
cli_setups_add_specs (CliSetups * setups, const CliTexts * specs,
    const CliTexts * common, StereoMessage * why)
{
  bool good = true;

  for (size_t i = 0; good && i < specs->n; i++)
    good = add_setup (setups, specs->item[i], common, why);
  return good;
}

bool
cli_setups_set (CliSetups * setups, const char *text, StereoMessage * why)
{
  bool good = true;

  for (size_t i = 0; good && i < setups->n; i++)
    good = setup_assign (&setups->item[i], text, why);
  return good;
}

typedef struct
{
  char **value;
  size_t n;
} Values;

static void
values_add (Values * values, char *value)
{
  values->value = cli_resize (values->value,
      (values->n + 1) * sizeof (*values->value));
  values->value[values->n++] = value;
}

static void
values_clear (Values * values)
{
  for (size_t i = 0; i < values->n; i++)
    free (values->value[i]);
  free (values->value);
}

/* "FROM:TO[:STEP]" or "A,B,...". */
static bool
parse_values (const char *name, const char *text, Values * values,
    StereoMessage * why)
{
  char *copy = cli_format ("%s", text), *rest = NULL, *parts[4];
  double from, to, step = 1;
  int n = 0;

  if (strchr (text, ':') == NULL) {
    for (char *word = strtok_r (copy, ",", &rest);
        word != NULL && values->n <= CLI_MAX_SETUPS;
        word = strtok_r (NULL, ",", &rest))
      values_add (values, cli_format ("%s", word));
    free (copy);
    if (values->n == 0)
      return cli_fail (why, "The sweep of %.100s has no values", name);
    return true;
  }

  for (char *word = strtok_r (copy, ":", &rest); word != NULL && n < 4;
      word = strtok_r (NULL, ":", &rest))
    parts[n++] = word;
  if (n < 2 || n > 3 || !cli_number (parts[0], &from)
      || !cli_number (parts[1], &to)
      || (n == 3 && !cli_number (parts[2], &step))) {
    free (copy);
    return cli_fail (why, "Expected FROM:TO:STEP or VALUE,VALUE,..., got the "
        "sweep %.100s=%.200s", name, text);
  }
  free (copy);
  if (step == 0 || (to - from) / step < 0)
    return cli_fail (why, "The sweep %.100s=%.200s never reaches its end",
        name, text);
  if ((to - from) / step >= CLI_MAX_SETUPS)
    return cli_fail (why, "The sweep %.100s=%.200s has more than %d values",
        name, text, CLI_MAX_SETUPS);
  /* 1e-6: steps such as 0.1 are not exact */
  for (int i = 0; i <= (to - from) / step + 1e-6; i++)
    values_add (values, cli_format ("%.10g", from + i * step));
  return true;
}

bool
cli_setups_sweep (CliSetups * setups, const char *text, StereoMessage * why)
{
  Values values = { NULL, 0 };
  CliSetups result = { NULL, 0 };
  char *name = NULL;
  const char *range = NULL;
  bool good;

  if (!split_assignment (text, &name, &range, why))
    return false;
  good = parse_values (name, range, &values, why);
  if (good && values.n * setups->n > CLI_MAX_SETUPS)
    good = cli_fail (why, "The sweeps make more than %d combinations",
        CLI_MAX_SETUPS);
  for (size_t i = 0; good && i < setups->n; i++) {
    for (size_t v = 0; good && v < values.n; v++) {
      const CliSetup *from = &setups->item[i];
      CliSetup *to = setups_append (&result);

      setup_new (to, from->algorithm);
      for (size_t p = 0; good && p < from->n_properties; p++)
        good = setup_set (to, from->property[p].name,
            from->property[p].value, why);
      good = good && setup_set (to, name, values.value[v], why);
    }
  }
  values_clear (&values);
  free (name);
  if (good) {
    cli_setups_clear (setups);
    *setups = result;
  } else {
    cli_setups_clear (&result);
  }
  return good;
}

void
cli_setups_clear (CliSetups * setups)
{
  for (size_t i = 0; i < setups->n; i++)
    setup_clear (&setups->item[i]);
  free (setups->item);
  memset (setups, 0, sizeof (*setups));
}

/* -------------------------------------------------- algorithms and devices */

static void
print_value (const StereoParamSpec * spec, double value, char *text,
    size_t size)
{
  if (spec->type == STEREO_PARAM_BOOL)
    snprintf (text, size, "%s", value != 0 ? "true" : "false");
  else if (spec->type == STEREO_PARAM_ENUM)
    snprintf (text, size, "%s", spec->values[(int) value].nick);
  else
    snprintf (text, size, "%.10g", value);
}

void
cli_print_algorithms (FILE * file)
{
  const StereoAlgorithm *algorithm;
  const StereoParamSpec *spec;

  for (size_t i = 0; (algorithm = stereo_algorithm_get (i)) != NULL; i++) {
    fprintf (file, "%s%s: %s\n  %s\n\n", i > 0 ? "\n" : "",
        stereo_algorithm_name (algorithm), stereo_algorithm_title (algorithm),
        stereo_algorithm_reference (algorithm));
    fprintf (file, "  %-20s %-18s %-8s\n", "property", "range", "default");
    for (size_t p = 0; (spec = stereo_algorithm_param (algorithm, p)) != NULL;
        p++) {
      char range[256] = "", initial[64];
      size_t used = 0;

      print_value (spec, stereo_algorithm_param_initial (algorithm, spec),
          initial, sizeof (initial));
      if (spec->type == STEREO_PARAM_BOOL) {
        snprintf (range, sizeof (range), "true, false");
      } else if (spec->type == STEREO_PARAM_ENUM) {
        for (int v = 0; v <= (int) spec->maximum && used < sizeof (range); v++)
          used += (size_t) snprintf (range + used, sizeof (range) - used,
              "%s%s", v > 0 ? ", " : "", spec->values[v].nick);
      } else {
        snprintf (range, sizeof (range), "%.10g to %.10g", spec->minimum,
            spec->maximum);
      }
      fprintf (file, "  %-20s %-18s %-8s  %s\n", spec->name, range, initial,
          spec->blurb);
    }
    if (takes_weights (algorithm))
      fprintf (file, "  %-20s %-18s %-8s  %s\n", "weights", "file name", "",
          "File with the network of cost=learned");
  }
}

/* The instruction set called name, which is one of CLI_SIMD_CHOICES. */
static StereoSimd
find_simd (const char *name)
{
  int simd = STEREO_SIMD_AUTO;

  while (stereo_simd_name ((StereoSimd) simd) != NULL
      && strcmp (stereo_simd_name ((StereoSimd) simd), name) != 0)
    simd++;
  return (StereoSimd) simd;
}

/* Any thread.  Every configuration repeats its warning. */
static void
print_warning (StereoLogLevel level, const char *text, void *user_data)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static StereoMessage last;

  (void) user_data;
  if (level != STEREO_LOG_WARNING)
    return;
  pthread_mutex_lock (&lock);
  if (strcmp (text, last.text) != 0) {
    snprintf (last.text, sizeof (last.text), "%s", text);
    cli_progress_end ();
    fprintf (stderr, "warning: %s\n", text);
  }
  pthread_mutex_unlock (&lock);
}

bool
cli_open_device (const char *backend, const char *simd, int threads,
    StereoDevice ** device, StereoMessage * why)
{
  StereoMessage reason = { "" };

  if (strcmp (backend, "cpu") != 0) {
    if (stereo_device_new_cuda (-1, device, &reason) == STEREO_OK) {
      stereo_device_set_log (*device, print_warning, NULL);
      return true;
    }
    if (strcmp (backend, "auto") != 0)
      return cli_fail (why, "--backend %s: %.400s", backend, reason.text);
  }
  if (stereo_device_new_cpu ((unsigned) threads, find_simd (simd), device,
          &reason) != STEREO_OK)
    return cli_fail (why, "--simd %s: %.400s", simd, reason.text);
  stereo_device_set_log (*device, print_warning, NULL);
  return true;
}

/* ---------------------------------------------------------------- progress */

void
cli_progress (size_t done, size_t total, const char *what)
{
  char bar[21];
  size_t filled = done * 20 / total;

  if (!isatty (STDERR_FILENO))
    return;
  memset (bar, '.', 20);
  memset (bar, '#', filled);
  bar[20] = '\0';
  fprintf (stderr, "\r\033[K[%s] %zu/%zu %.66s", bar, done, total, what);
  fflush (stderr);
}

void
cli_progress_end (void)
{
  if (isatty (STDERR_FILENO))
    fprintf (stderr, "\r\033[K");
}

/* -------------------------------------------------------------------- JSON */

/* The length of the UTF-8 character at text; 0 if it is not valid. */
static int
utf8_length (const unsigned char *text)
{
  static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
  int length = text[0] < 0x80 ? 1 : text[0] < 0xc0 ? 0 : text[0] < 0xe0 ? 2
      : text[0] < 0xf0 ? 3 : text[0] < 0xf8 ? 4 : 0;
  uint32_t code;

  if (length < 2)
    return length;
  code = text[0] & (0x7fu >> length);
  for (int i = 1; i < length; i++) {
    if ((text[i] & 0xc0) != 0x80)
      return 0;
    code = code << 6 | (text[i] & 0x3fu);
  }
  if (code < smallest[length] || code > 0x10ffff
      || (code >= 0xd800 && code <= 0xdfff))
    return 0;
  return length;
}

static void
json_string (FILE * file, const char *value)
{
  const unsigned char *text = (const unsigned char *) value;

  putc ('"', file);
  while (*text != '\0') {
    int length = utf8_length (text);

    if (length == 0)
      fputs ("\\ufffd", file);
    else if (*text == '"' || *text == '\\')
      fprintf (file, "\\%c", *text);
    else if (*text < 0x20 || *text == 0x7f)
      fprintf (file, "\\u%04x", *text);
    else
      fwrite (text, 1, (size_t) length, file);
    text += length > 0 ? length : 1;
  }
  putc ('"', file);
}

static void
json_start (CliJson * json, const char *key)
{
  if (json->filled)
    putc (',', json->file);
  if (json->depth > 0)
    fprintf (json->file, "\n%*s", 2 * json->depth, "");
  if (key != NULL) {
    json_string (json->file, key);
    fputs (": ", json->file);
  }
  json->filled = true;
}

void
cli_json_open (CliJson * json, const char *key, char bracket)
{
  json_start (json, key);
  putc (bracket, json->file);
  json->depth++;
  json->filled = false;
}

void
cli_json_close (CliJson * json, char bracket)
{
  json->depth--;
  if (json->filled)
    fprintf (json->file, "\n%*s", 2 * json->depth, "");
  putc (bracket, json->file);
  json->filled = true;
  if (json->depth == 0)
    putc ('\n', json->file);
}

void
cli_json_text (CliJson * json, const char *key, const char *value)
{
  json_start (json, key);
  if (value != NULL)
    json_string (json->file, value);
  else
    fputs ("null", json->file);
}

void
cli_json_number (CliJson * json, const char *key, double value)
{
  json_start (json, key);
  if (isfinite (value))
    fprintf (json->file, "%.9g", value);
  else
    fputs ("null", json->file);
}

void
cli_json_bool (CliJson * json, const char *key, bool value)
{
  json_start (json, key);
  fputs (value ? "true" : "false", json->file);
}

/* --------------------------------------------------------------------- CSV */

void
cli_csv_text (FILE * file, bool first, const char *value)
{
  if (!first)
    putc (',', file);
  if (strpbrk (value, ",\"\r\n") == NULL) {
    fputs (value, file);
    return;
  }
  putc ('"', file);
  for (; *value != '\0'; value++) {
    if (*value == '"')
      putc ('"', file);
    putc (*value, file);
  }
  putc ('"', file);
}

void
cli_csv_number (FILE * file, double value)
{
  putc (',', file);
  if (isfinite (value))
    fprintf (file, "%.9g", value);
}
