#include "tests/agent/toy_cluster.h"

#include "adapters/pki/agent_proof.h"
#include "ports/deadline.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace muster::agent_test {

namespace http = net::http;
using namespace std::chrono_literals;

const pki::authority& toy_cluster::authority() {
    static runtime::system_clock time;
    static const auto ca = pki::authority::make("toy cluster", time.wall()).value();
    return ca;
}

toy_cluster::toy_cluster(std::uint16_t port) {
    auto own =
        authority().issue({.name = "localhost", .hosts = {"127.0.0.1"}, .now = time_.wall()});
    auto tls = net::tls_server::make({.own = own.value(), .protocols = {"muster/1", "http/1.1"}});
    auto routes = std::make_shared<http::router>();
    const auto add = [&](std::string_view method, std::string_view path, auto member) {
        const auto added = routes->add(method, path, {.handle = [this, member](http::request from) {
                                           return (this->*member)(std::move(from));
                                       }});
        if (!added) throw std::runtime_error(added.error().detail());
    };
    add("GET", "/system/status", &toy_cluster::answer_status);
    add("POST", "/system/enroll", &toy_cluster::answer_enrol);
    add("GET", "/system/orphan", &toy_cluster::answer_place);
    http::listener one{
        .where = {.host = "127.0.0.1", .port = port},
        .tls = std::make_shared<net::rotating_tls_server>(tls.value()),
        .what = {.routes = routes, .channels = [this](http::channel with) {
                     return hold(with);
                 }}};
    server_ = http::server::start({.listeners = {one}, .time = &time_}).value();
}

toy_cluster::~toy_cluster() = default;

void toy_cluster::behave(const std::function<void(behaviour&)>& change) {
    const std::scoped_lock lock(guard_);
    change(how_);
}

toy_cluster::seen toy_cluster::saw() const {
    const std::scoped_lock lock(guard_);
    return seen_;
}

http::response toy_cluster::state_answer() const {
    auto made = http::text(how_.status_code, std::string(1, how_.state));
    made.fields.emplace_back("Retry-After", std::to_string(how_.retry_after));
    return made;
}

async<http::response> toy_cluster::answer_status(http::request from) {
    const std::scoped_lock lock(guard_);
    ++seen_.knocks;
    const auto print = fingerprint::parse(from.query("fp").value_or(""));
    if (!print) co_return http::problem(400, "fp");
    co_return state_answer();
}

async<http::response> toy_cluster::answer_enrol(http::request from) {
    CO_TRY(const auto who, from.agent());
    CO_TRY(auto body, co_await from.body());
    const std::scoped_lock lock(guard_);
    ++seen_.enrolments;
    seen_.agents.insert(who.str());
    seen_.enrolment = std::move(body);
    co_return state_answer();
}

async<http::response> toy_cluster::answer_place(http::request from) {
    CO_TRY(const auto who, from.agent());
    const std::scoped_lock lock(guard_);
    ++seen_.place_questions;
    if (who.str() != from.query("fp")) co_return http::problem(403, "not yours");
    auto made = how_.status_code != 200 ? http::text(how_.status_code, "no")
                : how_.place.empty()    ? http::response{.status = 204}
                                        : http::text(200, how_.place);
    made.fields.emplace_back("Retry-After", std::to_string(how_.retry_after));
    co_return made;
}

boost::asio::awaitable<void> toy_cluster::hold(http::channel with) {
    bool standing = false;
    const auto ended = co_await talk(with.bytes, &standing);
    ignore_error(ended, "the test looks at what was seen");
    const std::scoped_lock lock(guard_);
    if (standing) --seen_.channels_now;
}

std::vector<agent_protocol::Frame> toy_cluster::greet(net::stream& with, const agent_protocol::Hello& said) {
    const auto binding = with.channel_binding();
    const auto who = pki::proven_agent(binding.value(), said.proof());
    const std::scoped_lock lock(guard_);
    agent_protocol::Frame out;
    if (!who) {
        ++seen_.unproven;
        out.mutable_refusal()->set_reason(agent_protocol::REASON_DENIED);
    } else if (how_.refusal) {
        *out.mutable_refusal() = *how_.refusal;
    } else {
        ++seen_.channels;
        ++seen_.channels_now;
        seen_.agents.insert(who->str());
        seen_.starts.insert(said.start());
        auto& welcome = *out.mutable_welcome();
        welcome.set_heartbeat_ms(how_.heartbeat_ms);
        welcome.set_silence_ms(how_.silence_ms);
        welcome.set_node("toy");
        welcome.set_system(1);
        welcome.set_facts_wanted(how_.facts_wanted || said.facts_digest().empty());
    }
    return {out};
}

std::vector<agent_protocol::Frame> toy_cluster::reply_to(const agent_protocol::Frame& said) {
    const std::scoped_lock lock(guard_);
    agent_protocol::Frame out;
    if (said.has_beat()) {
        ++seen_.beats;
        if (how_.mute) return {};
        out.mutable_beat()->set_sequence(said.beat().sequence());
        out.mutable_beat()->set_fenced(how_.fenced);
        return {out};
    }
    if (said.has_facts()) {
        seen_.facts.push_back(said.facts());
        out.mutable_facts_taken()->set_digest(said.facts().digest());
        return {out};
    }
    return reply_about_tasks(said);
}

std::vector<agent_protocol::Frame> toy_cluster::reply_about_tasks(const agent_protocol::Frame& said) {
    agent_protocol::Frame out;
    if (said.has_tasks_held()) seen_.held.push_back(said.tasks_held());
    if (said.has_payload_part()) seen_.parts.push_back(said.payload_part());
    if (said.has_output()) seen_.outputs.push_back(said.output());
    if (!said.has_reports()) return {};
    for (const auto& each : said.reports().reports()) {
        seen_.reports.push_back(each);
        *out.mutable_reports_taken()->add_tasks() = each.task();
    }
    if (!how_.takes_reports) return {};
    return {out};
}

const agent_protocol::Report* toy_cluster::seen::report_of(std::int64_t job) const {
    const agent_protocol::Report* last = nullptr;
    for (const auto& each : reports) {
        if (each.task().job() == job) last = &each;
    }
    return last;
}

std::size_t toy_cluster::seen::reports_of(std::int64_t job) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        reports, [job](const auto& each) { return each.task().job() == job; }));
}

bool toy_cluster::seen::holds(std::int64_t job) const {
    return std::ranges::any_of(held, [job](const auto& frame) {
        return std::ranges::any_of(
            frame.held(), [job](const auto& each) { return each.task().job() == job; });
    });
}

void toy_cluster::say(agent_protocol::Frame frame) {
    const std::scoped_lock lock(guard_);
    outgoing_.push_back(std::move(frame));
}

void toy_cluster::say_task(agent_protocol::Task task) {
    agent_protocol::Frame frame;
    *frame.mutable_task() = std::move(task);
    say(std::move(frame));
}

void toy_cluster::say_task(
    std::int64_t job, const std::string& function, const std::string& arguments) {
    agent_protocol::Task task;
    task.set_job(job);
    task.set_attempt(1);
    task.set_function(function);
    task.set_arguments(arguments);
    say_task(std::move(task));
}

async<void> toy_cluster::talk(net::stream* with, bool* standing) {
    agent_protocol::frame_reader frames;
    std::array<char, 4096> buffer{};
    while (true) {
        auto got = co_await within(time_, 20ms, with->read_some(buffer));
        std::string out;
        if (!got && got.error().code() != errc::timed_out) co_return fail(got.error());
        if (got && *got == 0) co_return result<void>();
        if (got) frames.feed({buffer.data(), *got});
        while (true) {
            CO_TRY(const auto frame, frames.next());
            if (!frame) break;
            const auto said = frame->has_hello() ? greet(*with, frame->hello()) : reply_to(*frame);
            for (const auto& each : said) {
                agent_protocol::append(out, each);
                if (each.has_welcome()) *standing = true;
                if (each.has_refusal()) co_return co_await with->write(out);
            }
        }
        {
            const std::scoped_lock lock(guard_);
            if (*standing) {
                for (const auto& each : std::exchange(outgoing_, {})) agent_protocol::append(out, each);
            }
            if (*standing && how_.goodbye) {
                agent_protocol::Frame last;
                *last.mutable_goodbye() = *how_.goodbye;
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
