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

async<void> attach_and_beat(node_fixture* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_TRY(const auto welcome, co_await attach(all, &web));
    CHECK(welcome.welcome().system() == 7);
    CHECK(welcome.welcome().node() == "alpha");
    CHECK(welcome.welcome().heartbeat_ms() == 12'000);
    CHECK(all->host->attached().size() == 1);

    CO_CHECK_OK(co_await web.say(beat(41)));
    CO_TRY(const auto answer, co_await web.hear());
    CHECK(answer.beat().sequence() == 41);
    CHECK_FALSE(answer.beat().fenced());

    all->lease.lost();
    CO_CHECK_OK(co_await web.say(beat(42)));
    CO_TRY(const auto fenced, co_await web.hear());
    CHECK(fenced.beat().fenced());
    all->hold_lease();

    web.close_connection();
    co_await harness::until(
        all->clock, "nobody is attached", [all] { return all->host->attached().size() == 0; });
    co_return result<void>();
}

Frame taken(std::int64_t job) {
    Frame frame;
    frame.mutable_reports_taken()->add_tasks()->set_job(job);
    return frame;
}

// That a report is taken waits for company; anything else goes at once and takes it along.
async<void> hear_in_company(node_fixture* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(all, &web));
    const system_number number(7);
    CHECK(all->host->send(number, taken(1)));
    CO_CHECK_OK(co_await web.say(beat(1)));
    CO_TRY(const auto answer, co_await web.hear());
    CHECK(answer.beat().sequence() == 1);
    CO_TRY(const auto first, co_await web.hear());
    CHECK(first.reports_taken().tasks(0).job() == 1);

    CHECK(all->host->send(number, taken(2)));
    Frame task;
    task.mutable_task()->set_job(3);
    CHECK(all->host->send(number, task));
    CO_TRY(const auto urgent, co_await web.hear());
    CHECK(urgent.task().job() == 3);
    CO_TRY(const auto second, co_await web.hear());
    CHECK(second.reports_taken().tasks(0).job() == 2);
    co_return result<void>();
}

// More than the sockets take, and less than is kept for an agent.
async<void> beat_without_reading(node_fixture* all) {
    constexpr int frames = 5;
    constexpr std::uint64_t beats = 50;
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(all, &web));
    Frame large;
    large.mutable_task()->set_arguments(std::string(1'000'000, 'x'));
    for (int n = 0; n < frames; ++n) CHECK(all->host->send(system_number(7), large));
    for (std::uint64_t n = 1; n <= beats; ++n) {
        CO_CHECK_OK(co_await web.say(beat(n)));
    }
    co_await harness::until(
        all->clock, "all beats are heard", [all] { return all->host->counters().beats == beats; });

    for (int n = 0; n < frames; ++n) {
        CO_TRY(const auto task, co_await web.hear());
        CHECK(task.task().arguments().size() == 1'000'000);
    }
    for (std::uint64_t n = 1; n <= beats; ++n) {
        CO_TRY(const auto answer, co_await web.hear());
        CHECK(answer.beat().sequence() == n);
    }
    co_return result<void>();
}

async<void> expect_refusal(
    node_fixture* all, agent* agent, session::reason why, std::string address = {}) {
    CO_TRY(const auto refused, co_await attach(all, agent));
    CHECK(refused.refusal().reason() == static_cast<int>(why));
    CHECK(refused.refusal().address() == address);
    const auto after = co_await agent->hear();
    CHECK(after.error().code() == errc::not_found);
    co_return result<void>();
}

async<void> refuse_each(node_fixture* all) {
    agent unknown('u');
    CO_CHECK_OK(co_await expect_refusal(all, &unknown, session::reason::fresh));
    agent banned('d');
    all->record(banned, enrolment::deleted, 8);
    CO_CHECK_OK(co_await expect_refusal(all, &banned, session::reason::deleted));
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    all->lease.lost();
    CO_CHECK_OK(co_await expect_refusal(all, &web, session::reason::busy));
    all->hold_lease();
    all->give_all_slots_to("beta");
    CO_CHECK_OK(co_await expect_refusal(all, &web, session::reason::moved, "beta.acme.org:8443"));
    CHECK(all->host->attached().size() == 0);
    co_return result<void>();
}

async<void> replay_a_proof(node_fixture* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await web.connect(&all->clock, all->where()));
    CO_TRY(const auto binding, web.binding());
    CO_TRY(const auto proof, pki::make_agent_proof(web.key(), binding));

    agent thief('t');
    CO_CHECK_OK(co_await thief.connect(&all->clock, all->where()));
    CO_CHECK_OK(co_await thief.hello_with(proof));
    CO_TRY(const auto denied, co_await thief.hear());
    CHECK(denied.refusal().reason() == muster::agent_protocol::REASON_DENIED);

    agent loud('l');
    CO_CHECK_OK(co_await loud.connect(&all->clock, all->where()));
    CO_CHECK_OK(co_await loud.say(beat(1)));
    const auto cut = co_await loud.hear();
    CHECK(cut.error().code() == errc::not_found);
    co_return result<void>();
}

async<void> expect_goodbye(agent* agent, session::reason why) {
    CO_TRY(const auto frame, co_await agent->hear());
    CHECK(frame.goodbye().reason() == static_cast<int>(why));
    const auto after = co_await agent->hear();
    CHECK(after.error().code() == errc::not_found);
    co_return result<void>();
}

async<void> let_go_each(node_fixture* all) {
    agent web('a');
    agent db('b');
    all->record(web, enrolment::accepted, 7);
    all->record(db, enrolment::accepted, 8);
    CO_CHECK_OK(co_await attach(all, &web));
    CO_CHECK_OK(co_await attach(all, &db));

    all->record(web, enrolment::deleted, 7);
    CO_CHECK_OK(co_await expect_goodbye(&web, session::reason::deleted));
    agent again('b');
    CO_CHECK_OK(co_await attach(all, &again));
    CO_CHECK_OK(co_await expect_goodbye(&db, session::reason::replaced));
    CHECK(all->host->attached().size() == 1);

    all->give_all_slots_to("beta");
    CO_CHECK_OK(co_await expect_goodbye(&again, session::reason::moved));
    all->give_all_slots_to("alpha");
    agent third('b');
    CO_CHECK_OK(co_await attach(all, &third));
    CO_CHECK_OK(co_await all->front->drain(5s));
    CO_TRY(const auto stopping, co_await third.hear());
    CHECK(stopping.goodbye().reason() == muster::agent_protocol::REASON_STOPPING);
    CHECK(stopping.goodbye().retry_after_ms() >= 5'000);
    CHECK(all->host->attached().size() == 0);
    co_return result<void>();
}

async<void> lose_membership(node_fixture* all, membership::node_state state) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    all->give_all_slots_to("alpha");
    CO_CHECK_OK(co_await attach(all, &web));
    all->give_all_slots_to("alpha", state);
    CO_CHECK_OK(co_await expect_goodbye(&web, session::reason::orphan));
    agent again('a');
    CO_CHECK_OK(co_await expect_refusal(all, &again, session::reason::orphan));
    co_return result<void>();
}

async<void> lose_membership_each(node_fixture* all) {
    using membership::node_state;
    for (const auto state : {node_state::pooled, node_state::staged, node_state::faulty}) {
        CO_CHECK_OK(co_await lose_membership(all, state));
    }
    agent web('a');
    all->give_all_slots_to("alpha", node_state::suspect);  // as long as it is not given up
    CO_TRY(const auto answer, co_await attach(all, &web));
    CHECK(answer.has_welcome());
    co_return result<void>();
}

async<void> be_wiped(node_fixture* all) {
    agent web('a');
    agent db('b');
    all->record(web, enrolment::accepted, 7);
    all->record(db, enrolment::accepted, 8);
    CO_CHECK_OK(co_await attach(all, &web));
    CO_CHECK_OK(co_await attach(all, &db));
    all->host->let_go_of_all();
    CO_CHECK_OK(co_await expect_goodbye(&web, session::reason::orphan));
    CO_CHECK_OK(co_await expect_goodbye(&db, session::reason::orphan));
    CHECK(all->host->attached().size() == 0);
    co_return result<void>();
}

// Its first word, all that it holds, is dropped: it has to come again and say it.
async<void> speak_to_a_full_node(node_fixture* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(all, &web));
    CHECK(all->tasks.push(dispatch::agent_message{}, dispatch::task_inbox::bytes_max));
    Frame some;
    some.mutable_tasks_held()->add_held()->set_unknown(true);
    CO_CHECK_OK(co_await web.say(some));
    CO_CHECK_OK(co_await web.say(beat(1)));
    CO_TRY(const auto answer, co_await web.hear());
    CHECK(answer.has_beat());

    Frame first_word;
    first_word.mutable_tasks_held()->set_all(true);
    CO_CHECK_OK(co_await web.say(first_word));
    CO_CHECK_OK(co_await expect_goodbye(&web, session::reason::busy));
    co_return result<void>();
}

async<void> fall_silent(node_fixture* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(all, &web));

    const auto cut = co_await web.hear();
    CHECK(cut.error().code() == errc::not_found);
    CHECK(all->host->counters().detaches[static_cast<std::size_t>(session::reason::silent)] == 1);
    co_return result<void>();
}

// Whoever cannot prove anything, until this address may say hello no more.
async<void> junk(node_fixture* all, bool* refused_unheard) {
    for (int n = 0; n < 5 && !*refused_unheard; ++n) {
        agent nobody('n');
        CO_CHECK_OK(co_await nobody.connect(&all->clock, all->where()));
        CO_CHECK_OK(co_await nobody.hello_with("junk"));
        CO_TRY(const auto answer, co_await nobody.hear());
        *refused_unheard = answer.refusal().reason() == muster::agent_protocol::REASON_BUSY;
    }
    co_return result<void>();
}

async<void> attach_again_and_again(node_fixture* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    for (int n = 0; n < 5; ++n) {
        agent again('a');
        CO_TRY(const auto answer, co_await attach(all, &again));
        CHECK(answer.has_welcome());
    }
    co_return result<void>();
}

async<void> storm(node_fixture* all) {
    std::vector<std::unique_ptr<agent>> crowd;
    int busy = 0;
    for (char seed = 'a'; seed < 'k'; ++seed) {
        crowd.push_back(std::make_unique<agent>(seed));
        all->record(*crowd.back(), enrolment::accepted, seed);
        CO_TRY(const auto answer, co_await attach(all, crowd.back().get()));
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
    node_fixture all;
    play(all, [&all] { return attach_and_beat(&all); });
}

TEST_CASE("that reports are taken is told with the next frame, a beat's answer at the latest") {
    node_fixture all;
    play(all, [&all] { return hear_in_company(&all); });
}

TEST_CASE("an agent that is slow to read large frames is heard meanwhile") {
    node_fixture all;
    play(all, [&all] { return beat_without_reading(&all); });
}

TEST_CASE("whoever does not belong here is told why and where to go") {
    node_fixture all;
    play(all, [&all] { return refuse_each(&all); });
}

TEST_CASE("a node that is no member welcomes and keeps nobody, though the table has its slots") {
    node_fixture all;
    play(all, [&all] { return lose_membership_each(&all); });
}

TEST_CASE("a node that is wiped lets go of everybody") {
    node_fixture all;
    play(all, [&all] { return be_wiped(&all); });
}

TEST_CASE("a proof of another connection is denied, and whoever does not say hello is cut") {
    node_fixture all;
    play(all, [&all] { return replay_a_proof(&all); });
}

TEST_CASE("attached agents go when they are deleted, replaced, moved, or the node stops") {
    node_fixture all;
    play(all, [&all] { return let_go_each(&all); });
}

async<void> outnumber_connections(node_fixture* all) {
    agent web('a');
    agent db('b');
    agent mail('c');
    all->record(web, enrolment::accepted, 7);
    all->record(db, enrolment::accepted, 8);
    CO_CHECK_OK(co_await attach(all, &web));
    CO_CHECK_OK(co_await attach(all, &db));
    CHECK(all->host->attached().size() == 2);

    // One that says nothing takes the only place that is left.
    CO_CHECK_OK(co_await mail.connect(&all->clock, all->where()));
    agent late('d');
    CHECK_FALSE((co_await late.connect(&all->clock, all->where())).has_value());
    co_return result<void>();
}

TEST_CASE("attached agents take no place from those who come, strangers do") {
    node_fixture all({}, {.connections_max = 1});
    play(all, [&all] { return outnumber_connections(&all); });
}

TEST_CASE("an agent whose first word finds no room is sent away, so that it says it again") {
    node_fixture all;
    play(all, [&all] { return speak_to_a_full_node(&all); });
}

TEST_CASE("a channel without a beat ends") {
    node_fixture all({.terms = {.heartbeat = 20ms, .silence = 60ms}});
    play(all, [&all] { return fall_silent(&all); });
}

TEST_CASE("a storm is let in at the gate's rate, and the rest is told when to come") {
    node_fixture all({.gate = {.rate = 1, .burst = 3, .wait_max = 1min}});
    play(all, [&all] { return storm(&all); });
}

TEST_CASE("who proves nothing is soon heard no more at its address, before the gate is asked") {
    constexpr access::rate few{.interval = 1h, .burst = 3};
    bool refused = false;
    node_fixture all({.strangers = few});
    play(all, [&] { return junk(&all, &refused); });
    CHECK(refused);
    CHECK(all.host->counters().refusals[static_cast<std::size_t>(session::reason::denied)] == 3);

    bool refused_at_proxy = false;
    node_fixture behind({.strangers = few, .proxies = {network::parse("127.0.0.1").value()}});
    play(behind, [&] { return junk(&behind, &refused_at_proxy); });
    CHECK_FALSE(refused_at_proxy);
}

TEST_CASE("agents that are known may come as often as the gate lets them in") {
    node_fixture all({.strangers = {.interval = 1h, .burst = 2}});
    play(all, [&all] { return attach_again_and_again(&all); });
}

}  // namespace muster::node::test
