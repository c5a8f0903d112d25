// precompiled_asio.h and what files that speak JSON to people include besides.
#include "precompiled_asio.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <mutex>
