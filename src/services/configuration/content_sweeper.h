#pragma once

#include "ports/clock.h"
#include "services/configuration/file_book.h"
#include "runtime/log.h"

#include <functional>

namespace muster::configuration {

// Once a day forgets the contents of files that no file has any more.
class content_sweeper {
public:
    content_sweeper(file_book& files, clock& time, runtime::logger& log)
        : files_(files), time_(time), log_(log) {}

    // While this server is the one to do it; until it is cancelled.
    boost::asio::awaitable<void> run(std::function<bool()> active);

private:
    file_book& files_;
    clock& time_;
    runtime::logger& log_;
};

}  // namespace muster::configuration
