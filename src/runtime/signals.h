#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

namespace muster::runtime {

// Told of the signals of the operating system.
class signal_listener {
public:
    virtual ~signal_listener() = default;

    virtual void stop() = 0;
    virtual void hurry() = 0;
    virtual void reload() = 0;
};

// What the operating system asks of a server. The first SIGTERM or SIGINT asks it to stop in order,
// the second to stop now; SIGHUP to read certificates and log level again. SIGPIPE is ignored for
// the whole process: OpenSSL writes to sockets with write().
//
// The listener is called on the loop given, and never after this object is gone.
class signals {
public:
    signals(boost::asio::io_context& loop, signal_listener& listener);
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;
    ~signals() = default;

private:
    void wait();
    void take(int number);

    signal_listener& listener_;
    bool stopping_ = false;
    boost::asio::signal_set set_;
};

}  // namespace muster::runtime
