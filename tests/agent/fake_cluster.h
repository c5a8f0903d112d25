#pragma once

#include "adapters/agent_protocol/frame_codec.h"
#include "adapters/net/http/server.h"
#include "adapters/pki/authority.h"
#include "runtime/clock.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace muster::agent_test {

// Entry and node of a cluster as an agent sees them: real TLS and real frames, and answers that a
// test chooses. Thread-safe.
class fake_cluster {
public:
    struct behaviour {
        char state = '0';
        unsigned status_code = 200;  // of every answer of the entry
        int retry_after = 1;
        std::string place;  // of the node; empty: no place is ready
        std::uint32_t heartbeat_ms = 100;
        std::uint32_t silence_ms = 600;
        bool fenced = false;
        bool mute = false;  // takes beats and says nothing
        bool facts_wanted = true;
        bool takes_reports = true;  // says that they are on record
        std::optional<agent_protocol::Refusal> refusal = std::nullopt;  // in place of a welcome
        std::optional<agent_protocol::Goodbye> goodbye =
            std::nullopt;  // said to channels that stand
    };
    struct seen {
        int knocks = 0;
        int enrolments = 0;
        int place_questions = 0;
        int channels = 0;      // welcomed, ever
        int channels_now = 0;  // that stand
        int unproven = 0;
        int beats = 0;
        std::string enrolment;  // the last body
        std::set<std::string> starts;
        std::set<std::string> agents;  // fingerprints that proved themselves
        std::vector<agent_protocol::Facts> facts;
        std::vector<agent_protocol::TasksHeld> held;
        std::vector<agent_protocol::Report> reports;
        std::vector<agent_protocol::PayloadPart> parts;
        std::vector<agent_protocol::Output> outputs;

        // The last report of a job; nullptr: none came.
        const agent_protocol::Report* report_of(std::int64_t job) const;
        std::size_t reports_of(std::int64_t job) const;
        bool holds(std::int64_t job) const;  // it ever said so
    };

    explicit fake_cluster(std::uint16_t port = 0);
    fake_cluster(const fake_cluster&) = delete;
    fake_cluster& operator=(const fake_cluster&) = delete;
    ~fake_cluster();

    void behave(const std::function<void(behaviour&)>& change);
    seen saw() const;
    // To the channel that stands, or to the next one.
    void say(agent_protocol::Frame frame);
    void say_task(std::int64_t job, const std::string& function, const std::string& arguments);
    void say_task(agent_protocol::Task task);

    std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
    std::string url() const { return "https://" + address(); }
    std::uint16_t port() const { return server_->port(0); }
    // The same for every toy in a test program.
    static const pki::authority& authority();

private:
    async<net::http::response> answer_status(net::http::request from);
    async<net::http::response> answer_enrol(net::http::request from);
    async<net::http::response> answer_place(net::http::request from);
    net::http::response state_answer() const;
    boost::asio::awaitable<void> hold(net::http::channel with);
    async<void> talk(net::stream* with, bool* standing);
    std::vector<agent_protocol::Frame> reply_to(const agent_protocol::Frame& frame);
    std::vector<agent_protocol::Frame> reply_about_tasks(const agent_protocol::Frame& frame);
    std::vector<agent_protocol::Frame> greet(net::stream& with, const agent_protocol::Hello& hello);

    runtime::system_clock clock_;
    mutable std::mutex mutex_;
    behaviour options_;
    std::vector<agent_protocol::Frame> outgoing_;
    seen seen_;
    std::unique_ptr<net::http::server> server_;
};

}  // namespace muster::agent_test
