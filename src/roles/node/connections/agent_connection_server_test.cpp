#include "tests/fixtures/node/node_fixture.h"
#include "tests/harness/until.h"

#include <doctest/doctest.h>

namespace muster::node::test {
namespace {

Frame beat(std::uint64_t sequence) {
    Frame frame;
    frame.mutable_beat()->set_sequence(sequence);
    return frame;
}

async<void> attach_and_beat(node_fixture* fixture) {
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    CO_TRY(const auto welcome, co_await attach(fixture, &web));
    CHECK(welcome.welcome().system() == 7);
    CHECK(welcome.welcome().node() == "alpha");
    CHECK(welcome.welcome().heartbeat_ms() == 12'000);
    CHECK(fixture->host->attached().size() == 1);

    CO_CHECK_OK(co_await web.send(beat(41)));
    CO_TRY(const auto answer, co_await web.receive());
    CHECK(answer.beat().sequence() == 41);
    CHECK_FALSE(answer.beat().fenced());

    fixture->lease.lost();
    CO_CHECK_OK(co_await web.send(beat(42)));
    CO_TRY(const auto fenced, co_await web.receive());
    CHECK(fenced.beat().fenced());
    fixture->hold_lease();

    web.close_connection();
    co_await harness::until(fixture->clock, "nobody is attached", [fixture] {
        return fixture->host->attached().size() == 0;
    });
    co_return result<void>();
}

Frame taken(std::int64_t job) {
    Frame frame;
    frame.mutable_reports_taken()->add_tasks()->set_job(job);
    return frame;
}

// That a report is taken waits for company; anything else goes at once and takes it along.
async<void> hear_in_company(node_fixture* fixture) {
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(fixture, &web));
    const system_number number(7);
    CHECK(fixture->host->send(number, taken(1)));
    CO_CHECK_OK(co_await web.send(beat(1)));
    CO_TRY(const auto answer, co_await web.receive());
    CHECK(answer.beat().sequence() == 1);
    CO_TRY(const auto first, co_await web.receive());
    CHECK(first.reports_taken().tasks(0).job() == 1);

    CHECK(fixture->host->send(number, taken(2)));
    Frame task;
    task.mutable_task()->set_job(3);
    CHECK(fixture->host->send(number, task));
    CO_TRY(const auto urgent, co_await web.receive());
    CHECK(urgent.task().job() == 3);
    CO_TRY(const auto second, co_await web.receive());
    CHECK(second.reports_taken().tasks(0).job() == 2);
    co_return result<void>();
}

// More than the sockets take, and less than is kept for an agent.
async<void> beat_without_reading(node_fixture* fixture) {
    constexpr int frames = 5;
    constexpr std::uint64_t beats = 50;
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(fixture, &web));
    Frame large;
    large.mutable_task()->set_arguments(std::string(1'000'000, 'x'));
    for (int n = 0; n < frames; ++n) CHECK(fixture->host->send(system_number(7), large));
    for (std::uint64_t n = 1; n <= beats; ++n) {
        CO_CHECK_OK(co_await web.send(beat(n)));
    }
    co_await harness::until(fixture->clock, "all beats are heard", [fixture] {
        return fixture->host->counters().beats == beats;
    });

    for (int n = 0; n < frames; ++n) {
        CO_TRY(const auto task, co_await web.receive());
        CHECK(task.task().arguments().size() == 1'000'000);
    }
    for (std::uint64_t n = 1; n <= beats; ++n) {
        CO_TRY(const auto answer, co_await web.receive());
        CHECK(answer.beat().sequence() == n);
    }
    co_return result<void>();
}

async<void> expect_refusal(
    node_fixture* fixture, agent* agent, session::reason why, std::string address = {}) {
    CO_TRY(const auto refused, co_await attach(fixture, agent));
    CHECK(refused.refusal().reason() == static_cast<int>(why));
    CHECK(refused.refusal().address() == address);
    const auto after = co_await agent->receive();
    CHECK(after.error().code() == errc::not_found);
    co_return result<void>();
}

async<void> refuse_each(node_fixture* fixture) {
    agent unknown('u');
    CO_CHECK_OK(co_await expect_refusal(fixture, &unknown, session::reason::fresh));
    agent banned('d');
    fixture->record(banned, enrolment::deleted, 8);
    CO_CHECK_OK(co_await expect_refusal(fixture, &banned, session::reason::deleted));
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    fixture->lease.lost();
    CO_CHECK_OK(co_await expect_refusal(fixture, &web, session::reason::busy));
    fixture->hold_lease();
    fixture->give_all_slots_to("beta");
    CO_CHECK_OK(
        co_await expect_refusal(fixture, &web, session::reason::moved, "beta.acme.org:8443"));
    CHECK(fixture->host->attached().size() == 0);
    co_return result<void>();
}

async<void> replay_a_proof(node_fixture* fixture) {
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await web.connect(&fixture->clock, fixture->destination()));
    CO_TRY(const auto binding, web.binding());
    CO_TRY(const auto proof, pki::create_agent_proof(web.key(), binding));

    agent thief('t');
    CO_CHECK_OK(co_await thief.connect(&fixture->clock, fixture->destination()));
    CO_CHECK_OK(co_await thief.hello_with(proof));
    CO_TRY(const auto denied, co_await thief.receive());
    CHECK(denied.refusal().reason() == muster::agent_protocol::REASON_DENIED);

    agent loud('l');
    CO_CHECK_OK(co_await loud.connect(&fixture->clock, fixture->destination()));
    CO_CHECK_OK(co_await loud.send(beat(1)));
    const auto cut = co_await loud.receive();
    CHECK(cut.error().code() == errc::not_found);
    co_return result<void>();
}

async<void> expect_goodbye(agent* agent, session::reason why) {
    CO_TRY(const auto frame, co_await agent->receive());
    CHECK(frame.goodbye().reason() == static_cast<int>(why));
    const auto after = co_await agent->receive();
    CHECK(after.error().code() == errc::not_found);
    co_return result<void>();
}

async<void> let_go_each(node_fixture* fixture) {
    agent web('a');
    agent db('b');
    fixture->record(web, enrolment::accepted, 7);
    fixture->record(db, enrolment::accepted, 8);
    CO_CHECK_OK(co_await attach(fixture, &web));
    CO_CHECK_OK(co_await attach(fixture, &db));

    fixture->record(web, enrolment::deleted, 7);
    CO_CHECK_OK(co_await expect_goodbye(&web, session::reason::deleted));
    agent again('b');
    CO_CHECK_OK(co_await attach(fixture, &again));
    CO_CHECK_OK(co_await expect_goodbye(&db, session::reason::replaced));
    CHECK(fixture->host->attached().size() == 1);

    fixture->give_all_slots_to("beta");
    CO_CHECK_OK(co_await expect_goodbye(&again, session::reason::moved));
    fixture->give_all_slots_to("alpha");
    agent third('b');
    CO_CHECK_OK(co_await attach(fixture, &third));
    CO_CHECK_OK(co_await fixture->front->drain(5s));
    CO_TRY(const auto stopping, co_await third.receive());
    CHECK(stopping.goodbye().reason() == muster::agent_protocol::REASON_STOPPING);
    CHECK(stopping.goodbye().retry_after_ms() >= 5'000);
    CHECK(fixture->host->attached().size() == 0);
    co_return result<void>();
}

async<void> lose_membership(node_fixture* fixture, membership::node_state state) {
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    fixture->give_all_slots_to("alpha");
    CO_CHECK_OK(co_await attach(fixture, &web));
    fixture->give_all_slots_to("alpha", state);
    CO_CHECK_OK(co_await expect_goodbye(&web, session::reason::orphan));
    agent again('a');
    CO_CHECK_OK(co_await expect_refusal(fixture, &again, session::reason::orphan));
    co_return result<void>();
}

async<void> lose_membership_each(node_fixture* fixture) {
    using membership::node_state;
    for (const auto state : {node_state::pooled, node_state::staged, node_state::faulty}) {
        CO_CHECK_OK(co_await lose_membership(fixture, state));
    }
    agent web('a');
    fixture->give_all_slots_to("alpha", node_state::suspect);  // as long as it is not given up
    CO_TRY(const auto answer, co_await attach(fixture, &web));
    CHECK(answer.has_welcome());
    co_return result<void>();
}

async<void> be_wiped(node_fixture* fixture) {
    agent web('a');
    agent db('b');
    fixture->record(web, enrolment::accepted, 7);
    fixture->record(db, enrolment::accepted, 8);
    CO_CHECK_OK(co_await attach(fixture, &web));
    CO_CHECK_OK(co_await attach(fixture, &db));
    fixture->host->close_all();
    CO_CHECK_OK(co_await expect_goodbye(&web, session::reason::orphan));
    CO_CHECK_OK(co_await expect_goodbye(&db, session::reason::orphan));
    CHECK(fixture->host->attached().size() == 0);
    co_return result<void>();
}

// Its first word, all that it holds, is dropped: it has to come again and say it.
async<void> speak_to_a_full_node(node_fixture* fixture) {
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(fixture, &web));
    CHECK(fixture->tasks.push(dispatch::agent_message{}, dispatch::task_inbox::bytes_max));
    Frame some;
    some.mutable_tasks_held()->add_held()->set_unknown(true);
    CO_CHECK_OK(co_await web.send(some));
    CO_CHECK_OK(co_await web.send(beat(1)));
    CO_TRY(const auto answer, co_await web.receive());
    CHECK(answer.has_beat());

    Frame first_word;
    first_word.mutable_tasks_held()->set_all(true);
    CO_CHECK_OK(co_await web.send(first_word));
    CO_CHECK_OK(co_await expect_goodbye(&web, session::reason::busy));
    co_return result<void>();
}

async<void> fall_silent(node_fixture* fixture) {
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(fixture, &web));

    const auto cut = co_await web.receive();
    CHECK(cut.error().code() == errc::not_found);
    CHECK(
        fixture->host->counters().detaches[static_cast<std::size_t>(session::reason::silent)] == 1);
    co_return result<void>();
}

// Whoever cannot prove anything, until this address may say hello no more.
async<void> junk(node_fixture* fixture, bool* refused_unheard) {
    for (int n = 0; n < 5 && !*refused_unheard; ++n) {
        agent nobody('n');
        CO_CHECK_OK(co_await nobody.connect(&fixture->clock, fixture->destination()));
        CO_CHECK_OK(co_await nobody.hello_with("junk"));
        CO_TRY(const auto answer, co_await nobody.receive());
        *refused_unheard = answer.refusal().reason() == muster::agent_protocol::REASON_BUSY;
    }
    co_return result<void>();
}

async<void> attach_again_and_again(node_fixture* fixture) {
    agent web('a');
    fixture->record(web, enrolment::accepted, 7);
    for (int n = 0; n < 5; ++n) {
        agent again('a');
        CO_TRY(const auto answer, co_await attach(fixture, &again));
        CHECK(answer.has_welcome());
    }
    co_return result<void>();
}

async<void> storm(node_fixture* fixture) {
    std::vector<std::unique_ptr<agent>> crowd;
    int busy = 0;
    for (char seed = 'a'; seed < 'k'; ++seed) {
        crowd.push_back(std::make_unique<agent>(seed));
        fixture->record(*crowd.back(), enrolment::accepted, seed);
        CO_TRY(const auto answer, co_await attach(fixture, crowd.back().get()));
        if (!answer.has_refusal()) continue;
        CHECK(answer.refusal().reason() == muster::agent_protocol::REASON_BUSY);
        CHECK(answer.refusal().retry_after_ms() > 0);
        ++busy;
    }
    CHECK(busy == 7);
    co_return result<void>();
}

}  // namespace

TEST_CASE("an agent of our slot is welcome, its beats are answered, and tell when we are fenced") {
    node_fixture fixture;
    play(fixture, [&fixture] { return attach_and_beat(&fixture); });
}

TEST_CASE("that reports are taken is told with the next frame, a beat's answer at the latest") {
    node_fixture fixture;
    play(fixture, [&fixture] { return hear_in_company(&fixture); });
}

TEST_CASE("an agent that is slow to read large frames is heard meanwhile") {
    node_fixture fixture;
    play(fixture, [&fixture] { return beat_without_reading(&fixture); });
}

TEST_CASE("whoever does not belong here is told why and where to go") {
    node_fixture fixture;
    play(fixture, [&fixture] { return refuse_each(&fixture); });
}

TEST_CASE("a node that is no member welcomes and keeps nobody, though the table has its slots") {
    node_fixture fixture;
    play(fixture, [&fixture] { return lose_membership_each(&fixture); });
}

TEST_CASE("a node that is wiped lets go of everybody") {
    node_fixture fixture;
    play(fixture, [&fixture] { return be_wiped(&fixture); });
}

TEST_CASE("a proof of another connection is denied, and whoever does not say hello is cut") {
    node_fixture fixture;
    play(fixture, [&fixture] { return replay_a_proof(&fixture); });
}

TEST_CASE("attached agents go when they are deleted, replaced, moved, or the node stops") {
    node_fixture fixture;
    play(fixture, [&fixture] { return let_go_each(&fixture); });
}

async<void> outnumber_connections(node_fixture* fixture) {
    agent web('a');
    agent db('b');
    agent mail('c');
    fixture->record(web, enrolment::accepted, 7);
    fixture->record(db, enrolment::accepted, 8);
    CO_CHECK_OK(co_await attach(fixture, &web));
    CO_CHECK_OK(co_await attach(fixture, &db));
    CHECK(fixture->host->attached().size() == 2);

    // One that says nothing takes the only place that is left.
    CO_CHECK_OK(co_await mail.connect(&fixture->clock, fixture->destination()));
    agent late('d');
    CHECK_FALSE((co_await late.connect(&fixture->clock, fixture->destination())).has_value());
    co_return result<void>();
}

TEST_CASE("attached agents take no place from those who come, strangers do") {
    node_fixture fixture({}, {.connections_max = 1});
    play(fixture, [&fixture] { return outnumber_connections(&fixture); });
}

TEST_CASE("an agent whose first word finds no room is sent away, so that it says it again") {
    node_fixture fixture;
    play(fixture, [&fixture] { return speak_to_a_full_node(&fixture); });
}

TEST_CASE("a channel without a beat ends") {
    node_fixture fixture({.terms = {.heartbeat_interval = 20ms, .heartbeat_timeout = 60ms}});
    play(fixture, [&fixture] { return fall_silent(&fixture); });
}

TEST_CASE("a storm is let in at the gate's rate, and the rest is told when to come") {
    node_fixture fixture({.gate = {.rate = 1, .burst = 3, .wait_max = 1min}});
    play(fixture, [&fixture] { return storm(&fixture); });
}

TEST_CASE("who proves nothing is soon heard no more at its address, before the gate is asked") {
    constexpr access::rate few{.interval = 1h, .burst = 3};
    bool refused = false;
    node_fixture fixture({.strangers = few});
    play(fixture, [&] { return junk(&fixture, &refused); });
    CHECK(refused);
    CHECK(
        fixture.host->counters().refusals[static_cast<std::size_t>(session::reason::denied)] == 3);

    bool refused_at_proxy = false;
    node_fixture behind({.strangers = few, .proxies = {network::parse("127.0.0.1").value()}});
    play(behind, [&] { return junk(&behind, &refused_at_proxy); });
    CHECK_FALSE(refused_at_proxy);
}

TEST_CASE("agents that are known may come as often as the gate lets them in") {
    node_fixture fixture({.strangers = {.interval = 1h, .burst = 2}});
    play(fixture, [&fixture] { return attach_again_and_again(&fixture); });
}

}  // namespace muster::node::test
