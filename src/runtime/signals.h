#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

namespace muster::runtime {

// Receives the signals of the operating system.
class signal_listener {
public:
    virtual ~signal_listener() = default;

    virtual void stop() = 0;
    virtual void stop_now() = 0;
    virtual void reload() = 0;
};

// Handles signals. The first SIGTERM or SIGINT calls stop(), the second stop_now(), and SIGHUP
// reload() (certificates and log level). Ignores SIGPIPE for the whole process, because OpenSSL
// writes to sockets with write().
//
// Calls the listener on `loop`, and never after this object is destroyed.
class signals {
public:
    signals(boost::asio::io_context& loop, signal_listener& listener);
    signals(const signals&) = delete;
    signals& operator=(const signals&) = delete;
    ~signals() = default;

private:
    void wait();
    void handle(int number);

    signal_listener& listener_;
    bool stopping_ = false;
    boost::asio::signal_set set_;
};

}  // namespace muster::runtime
