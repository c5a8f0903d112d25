#include "tests/agent/toy_cluster.h"

#include "adapters/pki/agent_proof.h"
#include "ports/deadline.h"

#include <array>
#include <stdexcept>

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

std::vector<channel::Frame> toy_cluster::greet(net::stream& with, const channel::Hello& said) {
    const auto binding = with.channel_binding();
    const auto who = pki::proven_agent(binding.value(), said.proof());
    const std::scoped_lock lock(guard_);
    channel::Frame out;
    if (!who) {
        ++seen_.unproven;
        out.mutable_refusal()->set_reason(channel::REASON_DENIED);
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

std::vector<channel::Frame> toy_cluster::reply_to(const channel::Frame& said) {
    const std::scoped_lock lock(guard_);
    channel::Frame out;
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
    return {};
}

async<void> toy_cluster::talk(net::stream* with, bool* standing) {
    channel::frame_reader frames;
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
                channel::append(out, each);
                if (each.has_welcome()) *standing = true;
                if (each.has_refusal()) co_return co_await with->write(out);
            }
        }
        {
            const std::scoped_lock lock(guard_);
            if (*standing && how_.goodbye) {
                channel::Frame last;
                *last.mutable_goodbye() = *how_.goodbye;
                channel::append(out, last);
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
