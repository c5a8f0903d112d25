#include "runtime/signals.h"

#include <boost/system/error_code.hpp>

#include <csignal>
#include <utility>

namespace muster::runtime {

signals::signals(boost::asio::io_context& loop, signal_listener& listener)
    : listener_(listener), set_(loop, SIGTERM, SIGINT, SIGHUP) {
    std::signal(SIGPIPE, SIG_IGN);
    wait();
}

void signals::wait() {
    set_.async_wait([this](const boost::system::error_code& failure, int number) {
        if (failure) return;  // the object is going away
        handle(number);
        wait();
    });
}

void signals::handle(int number) {
    if (number == SIGHUP) {
        listener_.reload();
    } else if (!std::exchange(stopping_, true)) {
        listener_.stop();
    } else {
        listener_.stop_now();
    }
}

}  // namespace muster::runtime
