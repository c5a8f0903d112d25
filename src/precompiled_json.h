// precompiled_asio.h and what files that speak JSON to people include besides.
#include "core/model/job.h"
#include "precompiled_asio.h"
#include "runtime/log.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <mutex>
