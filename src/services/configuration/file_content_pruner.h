#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/configuration/config_file_store.h"

#include <atomic>

namespace muster::configuration {

// Once a day forgets the contents of files that no file has any more.
class file_content_pruner {
public:
    file_content_pruner(config_file_store& files, muster::clock& clock, runtime::logger& log)
        : files_(files), clock_(clock), log_(log) {}

    // While this server is the one to do it; until it is cancelled.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);

private:
    config_file_store& files_;
    muster::clock& clock_;
    runtime::logger& log_;
};

}  // namespace muster::configuration
