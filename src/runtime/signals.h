#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <functional>

namespace muster::runtime {

// What the operating system asks of a server. The first SIGTERM or SIGINT asks it to stop in order,
// the second to stop now; SIGHUP to read certificates and log level again. SIGPIPE is ignored for
// the whole process: OpenSSL writes to sockets with write().
//
// The callbacks run on the loop given; none runs after the object is gone.
class signals {
public:
    struct callbacks {
        std::function<void()> stop;
        std::function<void()> hurry;
        std::function<void()> reload;
    };

    signals(boost::asio::io_context& loop, callbacks callbacks);
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;
    ~signals() = default;

private:
    void wait();
    void take(int number);

    callbacks what_;
    bool stopping_ = false;
    boost::asio::signal_set set_;
};

}  // namespace muster::runtime
