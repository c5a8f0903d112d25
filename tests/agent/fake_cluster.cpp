#include "tests/agent/fake_cluster.h"

#include "adapters/pki/agent_proof.h"
#include "ports/deadline.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace muster::agent_test {

namespace http = net::http;
using namespace std::chrono_literals;

const pki::authority& fake_cluster::authority() {
    static runtime::system_clock clock;
    static const auto ca = pki::authority::create("toy cluster", clock.wall()).value();
    return ca;
}

fake_cluster::fake_cluster(std::uint16_t port) {
    auto own =
        authority().issue({.name = "localhost", .hosts = {"127.0.0.1"}, .now = clock_.wall()});
    auto tls =
        net::tls_server::create({.identity = own.value(), .protocols = {"muster/1", "http/1.1"}});
    auto routes = std::make_shared<http::router>();
    const auto add = [&](std::string_view method, std::string_view path, auto member) {
        const auto added = routes->add(method, path, {.handle = [this, member](http::request from) {
                                           return (this->*member)(std::move(from));
                                       }});
        if (!added) throw std::runtime_error(added.error().detail());
    };
    add("GET", "/system/status", &fake_cluster::answer_status);
    add("POST", "/system/enroll", &fake_cluster::answer_enrol);
    add("GET", "/system/orphan", &fake_cluster::answer_place);
    http::listener listener{
        .address = {.host = "127.0.0.1", .port = port},
        .tls = std::make_shared<net::rotating_tls_server>(tls.value()),
        .service = {.routes = routes, .channels = [this](http::channel with) {
                        return hold(with);
                    }}};
    server_ = http::server::start({.listeners = {listener}, .clock = &clock_}).value();
}

fake_cluster::~fake_cluster() = default;

void fake_cluster::behave(const std::function<void(behaviour&)>& change) {
    const std::scoped_lock lock(mutex_);
    change(options_);
}

fake_cluster::seen fake_cluster::saw() const {
    const std::scoped_lock lock(mutex_);
    return seen_;
}

http::response fake_cluster::state_answer() const {
    auto result = http::text(options_.status_code, std::string(1, options_.state));
    result.fields.emplace_back("Retry-After", std::to_string(options_.retry_after));
    return result;
}

async<http::response> fake_cluster::answer_status(http::request from) {
    const std::scoped_lock lock(mutex_);
    ++seen_.knocks;
    const auto print = fingerprint::parse(from.query("fp").value_or(""));
    if (!print) co_return http::problem(400, "fp");
    co_return state_answer();
}

async<http::response> fake_cluster::answer_enrol(http::request from) {
    CO_TRY(const auto who, from.agent());
    CO_TRY(auto body, co_await from.body());
    const std::scoped_lock lock(mutex_);
    ++seen_.enrolments;
    seen_.agents.insert(who.str());
    seen_.enrolment = std::move(body);
    co_return state_answer();
}

async<http::response> fake_cluster::answer_place(http::request from) {
    CO_TRY(const auto who, from.agent());
    const std::scoped_lock lock(mutex_);
    ++seen_.place_questions;
    if (who.str() != from.query("fp")) co_return http::problem(403, "not yours");
    auto result = options_.status_code != 200 ? http::text(options_.status_code, "no")
                  : options_.place.empty()    ? http::response{.status = 204}
                                              : http::text(200, options_.place);
    result.fields.emplace_back("Retry-After", std::to_string(options_.retry_after));
    co_return result;
}

boost::asio::awaitable<void> fake_cluster::hold(http::channel with) {
    bool standing = false;
    const auto ended = co_await talk(with.bytes, &standing);
    ignore_error(ended, "the test looks at what was seen");
    const std::scoped_lock lock(mutex_);
    if (standing) --seen_.channels_now;
}

std::vector<agent_protocol::Frame> fake_cluster::greet(
    net::stream& with, const agent_protocol::Hello& hello) {
    const auto binding = with.channel_binding();
    const auto who = pki::verify_agent_proof(binding.value(), hello.proof());
    const std::scoped_lock lock(mutex_);
    agent_protocol::Frame out;
    if (!who) {
        ++seen_.unproven;
        out.mutable_refusal()->set_reason(agent_protocol::REASON_DENIED);
    } else if (options_.refusal) {
        *out.mutable_refusal() = *options_.refusal;
    } else {
        ++seen_.channels;
        ++seen_.channels_now;
        seen_.agents.insert(who->str());
        seen_.starts.insert(hello.start());
        auto& welcome = *out.mutable_welcome();
        welcome.set_heartbeat_ms(options_.heartbeat_ms);
        welcome.set_silence_ms(options_.silence_ms);
        welcome.set_node("toy");
        welcome.set_system(1);
        welcome.set_facts_wanted(options_.facts_wanted || hello.facts_digest().empty());
    }
    return {out};
}

std::vector<agent_protocol::Frame> fake_cluster::reply_to(const agent_protocol::Frame& frame) {
    const std::scoped_lock lock(mutex_);
    agent_protocol::Frame out;
    if (frame.has_beat()) {
        ++seen_.beats;
        if (options_.mute) return {};
        out.mutable_beat()->set_sequence(frame.beat().sequence());
        out.mutable_beat()->set_fenced(options_.fenced);
        return {out};
    }
    if (frame.has_facts()) {
        seen_.facts.push_back(frame.facts());
        out.mutable_facts_taken()->set_digest(frame.facts().digest());
        return {out};
    }
    return reply_about_tasks(frame);
}

std::vector<agent_protocol::Frame> fake_cluster::reply_about_tasks(
    const agent_protocol::Frame& frame) {
    agent_protocol::Frame out;
    if (frame.has_tasks_held()) seen_.held.push_back(frame.tasks_held());
    if (frame.has_payload_part()) seen_.parts.push_back(frame.payload_part());
    if (frame.has_output()) seen_.outputs.push_back(frame.output());
    if (!frame.has_reports()) return {};
    for (const auto& report : frame.reports().reports()) {
        seen_.reports.push_back(report);
        *out.mutable_reports_taken()->add_tasks() = report.task();
    }
    if (!options_.takes_reports) return {};
    return {out};
}

const agent_protocol::Report* fake_cluster::seen::report_of(std::int64_t job) const {
    const agent_protocol::Report* last = nullptr;
    for (const auto& report : reports) {
        if (report.task().job() == job) last = &report;
    }
    return last;
}

std::size_t fake_cluster::seen::reports_of(std::int64_t job) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        reports, [job](const auto& each) { return each.task().job() == job; }));
}

bool fake_cluster::seen::holds(std::int64_t job) const {
    return std::ranges::any_of(held, [job](const auto& frame) {
        return std::ranges::any_of(
            frame.held(), [job](const auto& each) { return each.task().job() == job; });
    });
}

void fake_cluster::say(agent_protocol::Frame frame) {
    const std::scoped_lock lock(mutex_);
    outgoing_.push_back(std::move(frame));
}

void fake_cluster::say_task(agent_protocol::Task task) {
    agent_protocol::Frame frame;
    *frame.mutable_task() = std::move(task);
    say(std::move(frame));
}

void fake_cluster::say_task(
    std::int64_t job, const std::string& function, const std::string& arguments) {
    agent_protocol::Task task;
    task.set_job(job);
    task.set_attempt(1);
    task.set_function(function);
    task.set_arguments(arguments);
    say_task(std::move(task));
}

async<void> fake_cluster::talk(net::stream* with, bool* standing) {
    agent_protocol::frame_reader frames;
    std::array<char, 4096> buffer{};
    while (true) {
        auto got = co_await within(clock_, 20ms, with->read_some(buffer));
        std::string out;
        if (!got && got.error().code() != errc::timed_out) co_return fail(got.error());
        if (got && *got == 0) co_return result<void>();
        if (got) frames.feed({buffer.data(), *got});
        while (true) {
            CO_TRY(const auto frame, frames.next());
            if (!frame) break;
            const auto message =
                frame->has_hello() ? greet(*with, frame->hello()) : reply_to(*frame);
            for (const auto& each : message) {
                agent_protocol::append(out, each);
                if (each.has_welcome()) *standing = true;
                if (each.has_refusal()) co_return co_await with->write(out);
            }
        }
        {
            const std::scoped_lock lock(mutex_);
            if (*standing) {
                for (const auto& each : std::exchange(outgoing_, {}))
                    agent_protocol::append(out, each);
            }
            if (*standing && options_.goodbye) {
                agent_protocol::Frame last;
                *last.mutable_goodbye() = *options_.goodbye;
                agent_protocol::append(out, last);
                --seen_.channels_now;
                *standing = false;
            }
        }
        const bool over = !*standing && !out.empty();
        if (!out.empty()) {
            CO_CHECK_OK(co_await with->write(out));
        }
        if (over) co_return result<void>();
    }
}

}  // namespace muster::agent_test
