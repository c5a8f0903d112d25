#include "tests/harness/faulty_tcp_proxy.h"

#include "base/assert.h"
#include "tests/harness/free_port.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <list>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::harness {
namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int listen_on(std::uint16_t port) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    const auto address = loopback(port);
    const bool open =
        ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0
        && ::listen(listener, 128) == 0;
    if (!open) throw std::runtime_error("cannot listen on a loopback port");
    return listener;
}

int connect_to(std::uint16_t port) {
    const int result = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = loopback(port);
    if (::connect(result, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        ::close(result);
        return -1;
    }
    return result;
}

void reset_and_close(int socket) {
    const linger abort{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
    ::close(socket);
}

// One way of one connection. Holds at most one buffer; while it is full nothing more is read.
class pipe_direction {
public:
    pipe_direction(int from, int to) : from_(from), to_(to) {}

    bool wants_read() const { return filled_ == 0 && !ended_; }
    bool wants_write() const { return filled_ > sent_; }
    bool ended() const { return ended_ && !wants_write(); }

    // False: the connection is broken.
    bool read(std::size_t bytes_max) {
        const auto received =
            ::recv(from_, buffer_.data(), std::min(buffer_.size(), bytes_max), MSG_DONTWAIT);
        if (received < 0) return errno == EAGAIN || errno == EINTR;
        if (received == 0) {
            ended_ = true;
            ::shutdown(to_, SHUT_WR);
            return true;
        }
        filled_ = static_cast<std::size_t>(received);
        last_read_ = filled_;
        return write();
    }

    // What the last read() brought.
    std::string_view last_read() const { return {buffer_.data(), last_read_}; }

    bool write() {
        const auto written =
            ::send(to_, buffer_.data() + sent_, filled_ - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (written < 0) return errno == EAGAIN || errno == EINTR;
        sent_ += static_cast<std::size_t>(written);
        if (sent_ == filled_) sent_ = filled_ = 0;
        return true;
    }

private:
    int from_;
    int to_;
    bool ended_ = false;
    std::size_t filled_ = 0;
    std::size_t sent_ = 0;
    std::size_t last_read_ = 0;
    std::array<char, 16384> buffer_{};
};

// What may pass at the moment.
struct passage {
    bool answers = true;
    std::size_t bytes_max = std::size_t{16} * 1024;
    std::string_view awaited_request = {};  // empty: for nothing

    bool is_awaited(std::string_view request) const {
        return !awaited_request.empty() && request.contains(awaited_request);
    }
};

class connection {
public:
    connection(int client, int target)
        : client_(client), target_(target), requests_(client, target), answers_(target, client) {
        const int yes = 1;
        ::setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
        ::setsockopt(target_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    }
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection() {
        reset_and_close(client_);
        reset_and_close(target_);
    }

    // What to wait for: first the client's socket, then the target's. A socket nothing is wanted of
    // is left out (-1), because poll() would report its end again and again.
    std::array<pollfd, 2> interest(bool answers_too) const {
        const bool hear_client = requests_.wants_read();
        const bool hear_target = answers_too && answers_.wants_read();
        const bool tell_client = answers_too && answers_.wants_write();
        return {
            watch(client_, hear_client, tell_client),
            watch(target_, hear_target, requests_.wants_write())};
    }

    // False: both sides are done or the connection is broken. What is watched for turns the answers
    // off before the target can have given one.
    bool advance(const pollfd& client, const pollfd& target, passage& passage_rules) {
        constexpr int hear = POLLIN | POLLHUP | POLLERR;
        if ((client.revents & hear) != 0 && requests_.wants_read()) {
            if (!requests_.read(passage_rules.bytes_max)) return false;
            if (passage_rules.is_awaited(requests_.last_read())) passage_rules.answers = false;
        }
        if (passage_rules.answers && (target.revents & hear) != 0 && answers_.wants_read()
            && !answers_.read(passage_rules.bytes_max))
            return false;
        if ((target.revents & POLLOUT) != 0 && !requests_.write()) return false;
        if (passage_rules.answers && (client.revents & POLLOUT) != 0 && !answers_.write())
            return false;
        return !(requests_.ended() && answers_.ended());
    }

private:
    static pollfd watch(int socket, bool hear, bool tell) {
        const auto events = static_cast<short>((hear ? POLLIN : 0) | (tell ? POLLOUT : 0));
        return {.fd = events == 0 ? -1 : socket, .events = events, .revents = 0};
    }

    int client_;
    int target_;
    pipe_direction requests_;
    pipe_direction answers_;
};

void accept_one(int listener, std::uint16_t target_port, std::list<connection>& open) {
    const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const int target = connect_to(target_port);
    if (target < 0) {
        reset_and_close(client);
        return;
    }
    open.emplace_back(client, target);
}

void refuse_one(int listener) {
    const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) reset_and_close(client);
}

constexpr int slow_step_ms = 20;
constexpr std::size_t fixed_polls = 2;  // the wake-up call and the listener come first

void add_interest(
    const std::list<connection>& open, bool answers_too, std::vector<pollfd>& polled) {
    for (const auto& proxied : open)
        for (const auto& side : proxied.interest(answers_too)) polled.push_back(side);
}

void advance_all(
    const std::vector<pollfd>& polled, passage& passage_rules, std::list<connection>& open) {
    std::size_t index = fixed_polls;
    for (auto it = open.begin(); it != open.end(); index += 2)
        it = it->advance(polled[index], polled[index + 1], passage_rules) ? std::next(it)
                                                                          : open.erase(it);
}

}  // namespace

faulty_tcp_proxy::faulty_tcp_proxy(std::uint16_t target_port)
    : target_port_(target_port),
      port_(free_port()),
      listener_(listen_on(port_)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      worker_([this] { forward(); }) {}

faulty_tcp_proxy::~faulty_tcp_proxy() {
    change(state::closed);
    worker_.join();
    ::close(listener_);
    ::close(wake_);
}

void faulty_tcp_proxy::cut() {
    change(state::cut);
}

void faulty_tcp_proxy::stall() {
    change(state::stalled);
}

void faulty_tcp_proxy::stall_answers() {
    change(state::answers_stalled);
}

void faulty_tcp_proxy::stall_answers_after(std::string request) {
    {
        const std::lock_guard lock(mutex_);
        awaited_request_ = std::move(request);
    }
    change(state::awaiting_request);
}

bool faulty_tcp_proxy::answers_are_stalled() {
    const std::lock_guard lock(mutex_);
    return current_ == state::answers_stalled;
}

// Unless a verb came meanwhile.
void faulty_tcp_proxy::stall_after_match() {
    const std::lock_guard lock(mutex_);
    if (requested_ == state::awaiting_request) requested_ = state::answers_stalled;
}

void faulty_tcp_proxy::slow(std::size_t bytes_a_second) {
    {
        const std::lock_guard lock(mutex_);
        bytes_a_step_ = bytes_a_second * static_cast<std::size_t>(slow_step_ms) / 1000;
        MUSTER_ASSERT(bytes_a_step_ > 0);
    }
    change(state::slow);
}

void faulty_tcp_proxy::heal() {
    change(state::healthy);
}

void faulty_tcp_proxy::change(state state) {
    std::unique_lock lock(mutex_);
    requested_ = state;
    MUSTER_ASSERT(::eventfd_write(wake_, 1) == 0);
    // What is watched for may come so soon that the watching is over before we look.
    applied_.wait(lock, [&] { return current_ == state || requested_ != state; });
}

faulty_tcp_proxy::state faulty_tcp_proxy::requested_state() {
    const std::lock_guard lock(mutex_);
    return requested_;
}

std::size_t faulty_tcp_proxy::bytes_a_step() {
    const std::lock_guard lock(mutex_);
    return bytes_a_step_;
}

void faulty_tcp_proxy::set_current(state state) {
    const std::lock_guard lock(mutex_);
    current_ = state;
    applied_.notify_all();
}

void faulty_tcp_proxy::forward() {
    std::list<connection> open;
    while (true) {
        const state current = requested_state();
        if (current == state::cut || current == state::closed) open.clear();
        set_current(current);
        if (current == state::closed) return;

        const bool moving = current != state::stalled;
        passage passage_rules{.answers = moving && current != state::answers_stalled};
        if (current == state::slow) passage_rules.bytes_max = bytes_a_step();
        if (current == state::awaiting_request) passage_rules.awaited_request = awaited_request_;
        std::vector<pollfd> polled{
            {.fd = wake_, .events = POLLIN, .revents = 0},
            {.fd = moving ? listener_ : -1, .events = POLLIN, .revents = 0}};
        if (moving) add_interest(open, passage_rules.answers, polled);
        ::poll(polled.data(), polled.size(), -1);

        if (current == state::slow) ::poll(polled.data(), 1, slow_step_ms);  // for a verb
        eventfd_t wakes = 0;
        ::eventfd_read(wake_, &wakes);
        if (wakes != 0) continue;  // the state may have changed: nothing may pass before a look
        if (moving) advance_all(polled, passage_rules, open);
        if (current == state::awaiting_request && !passage_rules.answers) stall_after_match();
        if (polled[1].revents == 0) continue;
        if (current == state::cut) {
            refuse_one(listener_);
        } else {
            accept_one(listener_, target_port_, open);
        }
    }
}

}  // namespace muster::harness
