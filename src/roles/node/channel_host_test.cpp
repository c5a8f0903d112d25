#include "roles/node/channel_host.h"

#include "adapters/channel/frame_codec.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/net/connect.h"
#include "adapters/net/http/server.h"
#include "adapters/pki/agent_proof.h"
#include "adapters/pki/authority.h"
#include "ports/deadline.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/fleet/system_row.h"
#include "roles/node/facts_document.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "tests/harness/real_world.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/this_coro.hpp>
#include <doctest/doctest.h>

using namespace muster;
using namespace muster::node;
using namespace std::chrono_literals;
using muster::channel::Frame;

namespace {

namespace asio = boost::asio;

constexpr auto patience = 10s;

// An agent's end of a channel, frame by frame.
class agent {
public:
    explicit agent(char seed)
        : key_(pki::private_key::from_ed25519_bytes(std::string(32, seed)).value()) {}

    fingerprint print() const {
        const auto pem = key_.public_half().to_pem();
        return fingerprint::parse(pki::pem_fingerprint(pem)->str()).value();
    }

    async<void> connect(muster::clock* time, net::destination to) {
        CO_TRY(stream_, co_await within(*time, patience, net::connect(std::move(to))));
        time_ = time;
        co_return result<void>();
    }

    async<void> say(Frame frame) {
        auto written = stream_->write(muster::channel::encode(frame));
        co_return co_await within(*time_, patience, std::move(written));
    }

    async<void> hello(std::string facts_digest = {}) {
        CO_TRY(const auto binding, stream_->channel_binding());
        CO_TRY(auto proof, pki::make_agent_proof(key_, binding));
        co_return co_await hello_with(std::move(proof), std::move(facts_digest));
    }

    async<void> hello_with(std::string proof, std::string facts_digest = {}) {
        Frame frame;
        frame.mutable_hello()->set_proof(std::move(proof));
        frame.mutable_hello()->set_version("1");
        frame.mutable_hello()->set_start("one");
        frame.mutable_hello()->set_facts_digest(std::move(facts_digest));
        co_return co_await say(std::move(frame));
    }

    // errc::not_found: the node has hung up.
    async<Frame> hear() {
        while (true) {
            CO_TRY(auto frame, frames_.next());
            if (frame) co_return *std::move(frame);
            auto more = stream_->read_some(buffer_);
            CO_TRY(const auto size, co_await within(*time_, patience, std::move(more)));
            if (size == 0) co_return fail(errc::not_found, "hung up");
            frames_.feed(std::string_view(buffer_.data(), size));
        }
    }

    void hang_up() { stream_->close(); }
    const pki::private_key& key() const { return key_; }
    result<pki::channel_binding> binding() const { return stream_->channel_binding(); }

private:
    pki::private_key key_;
    muster::clock* time_ = nullptr;
    std::unique_ptr<net::stream> stream_;
    muster::channel::frame_reader frames_;
    std::array<char, 4096> buffer_{};
};

// A node of a zone, with everything real but metastore and bus.
struct town {
    harness::temporary_directory home{"channel-host"};
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    runtime::metrics metrics;
    fleet::fleet systems;
    cluster::topology_cell topology;
    cluster::lease_guard lease;
    std::unique_ptr<ledger> records;
    pki::authority ca = pki::authority::make("test", runtime::system_clock().wall()).value();
    std::unique_ptr<channel_host> host;
    std::unique_ptr<net::http::server> front;
    std::int64_t version = 1;

    explicit town(channel_options how = {}) {
        records = ledger_sqlite::open({.file = home.path() / "ledger.db"}).value();
        how.sweep_interval = 5ms;
        host = std::make_unique<channel_host>(
            channel_host::surroundings{
                .known = {.systems = systems, .topology = topology, .lease = lease, .time = time},
                .records = *records,
                .log = log,
                .counted = metrics},
            channel_host::options{
                .own = {.name = "alpha", .instance = "i1"},
                .channels = how,
                .facts = {.gather_time = 1ms}});
        systems.watch([this](std::span<const fleet::change> changes) { host->heard_of(changes); });
        systems.begin_reading();
        systems.end_reading();
        hold_lease();
        give_all_slots_to("alpha");
        open();
    }

    void open() {
        auto own = ca.issue({.name = "localhost", .hosts = {"127.0.0.1"}, .now = time.wall()});
        auto tls =
            net::tls_server::make({.own = *std::move(own), .protocols = {"muster/1", "http/1.1"}});
        net::http::service what{
            .routes = std::make_shared<net::http::router>(), .channels = host->handler()};
        front = net::http::server::start(
                    {.listeners =
                         {{.where = {.host = "127.0.0.1", .port = 0},
                           .tls = std::make_shared<net::rotating_tls_server>(*std::move(tls)),
                           .what = std::move(what)}},
                     .time = &time,
                     .loops = 2})
                    .value();
    }

    net::destination where() const {
        auto tls = net::tls_client::make(
            {.trusted = net::trusted_authorities{{ca.certificate()}}, .protocols = {"muster/1"}});
        return {.where = {.host = "127.0.0.1", .port = front->port(0)}, .tls = *std::move(tls)};
    }

    void hold_lease() { lease.confirmed(time.now(), 1h); }

    void give_all_slots_to(const std::string& owner) {
        auto next = std::make_shared<cluster::topology>();
        std::int64_t number = 0;
        for (const std::string name : {"alpha", "beta"}) {
            ++number;
            next->nodes[name] = {
                .number = node_number(number),
                .name = name,
                .instance = name == "alpha" ? "i1" : "i2",
                .zone = "default"};
            next->node_names[node_number(number)] = name;
            next->servers[name] = {.name = name, .address = name + ".acme.org:8443"};
        }
        std::vector<placement::move> moves;
        const node_number to(owner == "alpha" ? 1 : 2);
        for (std::size_t n = 0; n < slot::count; ++n)
            moves.push_back({.what = slot(n), .from = node_number(), .to = to});
        next->slots["default"] =
            std::make_shared<placement::slot_table>(placement::slot_table().after(moves).value());
        topology.publish(std::move(next));
    }

    void record(const agent& who, enrolment stage, std::int64_t number) {
        system_record row{
            .print = who.print(),
            .name = "web1",
            .stage = stage,
            .number = system_number(number),
            .zone = "default",
            .version = stage == enrolment::deleted ? version_of_deleted : ++version};
        systems.apply(std::span(&row, 1));
    }
};

// Runs a scenario beside the host's own work.
asio::awaitable<void> play(town* all, std::function<async<void>()> scenario, result<void>* end) {
    runtime::task_group tasks(
        co_await asio::this_coro::executor,
        [](const std::string& task, std::exception_ptr) { FAIL("a task failed: " << task); });
    const auto migrated = co_await all->records->migrate(cluster::ledger_schema());
    CHECK(migrated.has_value());
    tasks.spawn("sweep", all->host->run());
    tasks.spawn("facts", all->host->keep_facts());
    *end = co_await scenario();
    ignore_error(co_await all->front->drain(1s), "the scenario is over");
    tasks.cancel();
    co_await tasks.join();
}

void play(town& all, std::function<async<void>()> scenario) {
    harness::real_world world;
    result<void> end;
    world.run(play(&all, std::move(scenario), &end));
    INFO((end ? "" : to_string(end.error())));
    CHECK(end.has_value());
}

async<Frame> attach(town* all, agent* who) {
    CO_CHECK_OK(co_await who->connect(&all->time, all->where()));
    CO_CHECK_OK(co_await who->hello());
    co_return co_await who->hear();
}

Frame beat(std::uint64_t sequence) {
    Frame frame;
    frame.mutable_beat()->set_sequence(sequence);
    return frame;
}

async<void> attach_and_beat(town* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_TRY(const auto welcome, co_await attach(all, &web));
    CHECK(welcome.welcome().system() == 7);
    CHECK(welcome.welcome().node() == "alpha");
    CHECK(welcome.welcome().heartbeat_ms() == 10'000);
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

    web.hang_up();
    while (all->host->attached().size() != 0)
        ignore_error(co_await all->time.sleep_for(2ms), "a look a little later");
    co_return result<void>();
}

async<void> expect_refusal(town* all, agent* who, session::reason why, std::string address = {}) {
    CO_TRY(const auto refused, co_await attach(all, who));
    CHECK(refused.refusal().reason() == static_cast<int>(why));
    CHECK(refused.refusal().address() == address);
    const auto after = co_await who->hear();
    CHECK(after.error().code() == errc::not_found);
    co_return result<void>();
}

async<void> refuse_each(town* all) {
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

async<void> replay_a_proof(town* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await web.connect(&all->time, all->where()));
    CO_TRY(const auto binding, web.binding());
    CO_TRY(const auto proof, pki::make_agent_proof(web.key(), binding));

    agent thief('t');
    CO_CHECK_OK(co_await thief.connect(&all->time, all->where()));
    CO_CHECK_OK(co_await thief.hello_with(proof));
    CO_TRY(const auto denied, co_await thief.hear());
    CHECK(denied.refusal().reason() == muster::channel::REASON_DENIED);

    agent loud('l');
    CO_CHECK_OK(co_await loud.connect(&all->time, all->where()));
    CO_CHECK_OK(co_await loud.say(beat(1)));
    const auto cut = co_await loud.hear();
    CHECK(cut.error().code() == errc::not_found);
    co_return result<void>();
}

async<void> expect_goodbye(agent* who, session::reason why) {
    CO_TRY(const auto frame, co_await who->hear());
    CHECK(frame.goodbye().reason() == static_cast<int>(why));
    const auto after = co_await who->hear();
    CHECK(after.error().code() == errc::not_found);
    co_return result<void>();
}

async<void> let_go_each(town* all) {
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
    CHECK(stopping.goodbye().reason() == muster::channel::REASON_STOPPING);
    CHECK(stopping.goodbye().retry_after_ms() >= 5'000);
    CHECK(all->host->attached().size() == 0);
    co_return result<void>();
}

async<void> fall_silent(town* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(all, &web));

    const auto cut = co_await web.hear();
    CHECK(cut.error().code() == errc::not_found);
    CHECK(all->host->counters().detaches[static_cast<std::size_t>(session::reason::silent)] == 1);
    co_return result<void>();
}

async<void> storm(town* all) {
    std::vector<std::unique_ptr<agent>> crowd;
    int busy = 0;
    for (char seed = 'a'; seed < 'k'; ++seed) {
        crowd.push_back(std::make_unique<agent>(seed));
        all->record(*crowd.back(), enrolment::accepted, seed);
        CO_TRY(const auto answer, co_await attach(all, crowd.back().get()));
        if (!answer.has_refusal()) continue;
        CHECK(answer.refusal().reason() == muster::channel::REASON_BUSY);
        CHECK(answer.refusal().retry_after_ms() > 0);
        ++busy;
    }
    CHECK(busy == 7);
    co_return result<void>();
}

Frame facts_frame(const facts& all, const facts_difference& what, bool whole, std::string base) {
    Frame frame;
    auto& out = *frame.mutable_facts();
    out.set_whole(whole);
    out.set_base_digest(std::move(base));
    out.set_digest(pki::sha256(canonical_form(all)));
    for (const auto& [path, value] : what.set) (*out.mutable_set())[path] = value;
    for (const auto& path : what.removed) out.add_removed(path);
    return frame;
}

async<void> tell_facts(town* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await attach(all, &web));
    const facts first{{"cpu.count", "4"}, {"load", "1.50"}, {"os.name", "\"Debian, \\\"12\\\"\""}};
    CO_CHECK_OK(co_await web.say(facts_frame(first, {first, {}}, true, {})));
    CO_TRY(const auto taken, co_await web.hear());
    CHECK(taken.facts_taken().digest() == pki::sha256(canonical_form(first)));

    facts second = first;
    second["cpu.count"] = "8";
    second.erase("load");
    const auto change = difference(first, second);
    const auto base = pki::sha256(canonical_form(first));
    CO_CHECK_OK(co_await web.say(facts_frame(second, change, false, base)));
    CO_TRY(const auto merged, co_await web.hear());
    CHECK(merged.facts_taken().digest() == pki::sha256(canonical_form(second)));
    CHECK_FALSE(merged.facts_taken().wanted());

    CO_CHECK_OK(co_await web.say(facts_frame(first, change, false, "not the base")));
    CO_TRY(const auto wanted, co_await web.hear());
    CHECK(wanted.facts_taken().wanted());

    table::query question{.table = std::string(cluster::facts_table)};
    CO_TRY(const auto page, co_await all->records->read(question));
    REQUIRE(page.rows.size() == 1);
    CO_TRY(const auto row, fleet::decode_facts(page.rows.front()));
    CHECK(facts_of(row.document).value() == second);
    co_return result<void>();
}

async<void> attach_with_another_digest(town* all) {
    agent web('a');
    all->record(web, enrolment::accepted, 7);
    CO_CHECK_OK(co_await web.connect(&all->time, all->where()));
    CO_CHECK_OK(co_await web.hello("the digest of facts that the ledger lost"));
    CO_TRY(const auto welcome, co_await web.hear());
    CHECK(welcome.has_welcome());
    CO_TRY(const auto asked, co_await web.hear());
    CHECK(asked.facts_taken().wanted());
    co_return result<void>();
}

}  // namespace

TEST_CASE("an agent of our slot is welcome, its beats are answered, and tell when we are fenced") {
    town all;
    play(all, [&all] { return attach_and_beat(&all); });
}

TEST_CASE("whoever does not belong here is told why and where to go") {
    town all;
    play(all, [&all] { return refuse_each(&all); });
}

TEST_CASE("a proof of another connection is denied, and whoever does not say hello is cut") {
    town all;
    play(all, [&all] { return replay_a_proof(&all); });
}

TEST_CASE("attached agents go when they are deleted, replaced, moved, or the node stops") {
    town all;
    play(all, [&all] { return let_go_each(&all); });
}

TEST_CASE("a channel without a beat ends") {
    town all({.terms = {.heartbeat = 20ms, .silence = 60ms}});
    play(all, [&all] { return fall_silent(&all); });
}

TEST_CASE("a storm is let in at the gate's rate, and the rest is told when to come") {
    town all({.gate = {.rate = 1, .burst = 3, .wait_max = 1min}});
    play(all, [&all] { return storm(&all); });
}

TEST_CASE("facts are brought on record whole and as differences, in their agent's own words") {
    town all;
    play(all, [&all] { return tell_facts(&all); });
}

TEST_CASE("an agent whose facts are not on record is asked for all of them") {
    town all;
    play(all, [&all] { return attach_with_another_digest(&all); });
}

TEST_CASE("a document of facts gives back every text as it was written") {
    const facts all{
        {"a", "{\"x\":[1,2,{\"y\":\"},\"}]}"},
        {"b \"quoted\"", "\"\\\"\""},
        {"c", "1.0e3"},
        {"d", "null"}};
    CHECK(facts_of(document_of(all)).value() == all);
    CHECK(facts_of(document_of({})).value().empty());
    for (const std::string broken : {"", "{", "[]", "{\"a\"}", "{\"a\":1", "{\"a\":1}x", "{a:1}"})
        CHECK(facts_of(broken).error().code() == errc::corrupt);
    CHECK(check({{"a", "1 2"}}).error().code() == errc::invalid);
    CHECK(check({{"", "1"}}).error().code() == errc::invalid);
}
