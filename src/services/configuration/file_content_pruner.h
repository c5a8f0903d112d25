#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/configuration/config_file_store.h"

#include <functional>

namespace muster::configuration {

// Once a day forgets the contents of files that no file has any more.
class file_content_pruner {
public:
    file_content_pruner(config_file_store& files, clock& time, runtime::logger& log)
        : files_(files), time_(time), log_(log) {}

    // While this server is the one to do it; until it is cancelled.
    boost::asio::awaitable<void> run(std::function<bool()> active);

private:
    config_file_store& files_;
    clock& time_;
    runtime::logger& log_;
};

}  // namespace muster::configuration
