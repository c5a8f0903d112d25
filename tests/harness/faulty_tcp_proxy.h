#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace muster::harness {

// A TCP link to a loopback port that a test can break: clients connect to port() and reach the
// target through a thread of this object. Each of the verbs has taken effect when it returns.
class faulty_tcp_proxy {
public:
    explicit faulty_tcp_proxy(std::uint16_t target_port);
    faulty_tcp_proxy(const faulty_tcp_proxy&) = delete;
    faulty_tcp_proxy& operator=(const faulty_tcp_proxy&) = delete;
    ~faulty_tcp_proxy();

    std::uint16_t port() const { return port_; }

    // Open connections are reset; new ones are reset as soon as they are made.
    void cut();

    // Nothing passes and nobody is told, as when a cable is pulled: connections stay open, new ones
    // can be made, what is sent waits. heal() lets it through late, as TCP would.
    void stall();

    // The same for the way back only: the target gets every request, the client no answer.
    void stall_answers();

    // From the moment on at which a request with these bytes, in one piece, has gone to the target.
    void stall_answers_after(std::string request);
    bool answers_are_stalled();

    // Everything passes, but each way of each connection only so many bytes a second.
    void slow(std::size_t bytes_a_second);

    void heal();

private:
    enum class state { healthy, slow, awaiting_request, cut, stalled, answers_stalled, closed };

    void change(state state);
    state requested_state();
    std::size_t bytes_a_step();
    void set_current(state state);
    void stall_after_match();
    void forward();

    std::uint16_t target_port_;
    std::uint16_t port_;
    int listener_ = -1;
    int wake_ = -1;

    std::mutex mutex_;
    std::condition_variable applied_;
    state requested_ = state::healthy;
    state current_ = state::healthy;
    std::string awaited_request_;  // the worker's while it watches
    std::size_t bytes_a_step_ = 0;
    std::thread worker_;
};

}  // namespace muster::harness
