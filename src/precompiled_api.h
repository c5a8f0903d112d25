// precompiled_json.h and what every operation of the API is made of.
#include "precompiled_json.h"
#include "api/operations/registry.h"
