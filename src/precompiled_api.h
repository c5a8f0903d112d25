// precompiled_json.h and what every operation of the API is made of.
#include "api/operations/registry.h"
#include "precompiled_json.h"
