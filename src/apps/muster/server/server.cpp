#include "apps/muster/server/server.h"

#include "adapters/os/descriptors.h"
#include "adapters/os/file.h"
#include "adapters/os/random.h"
#include "apps/muster/server/disk_full_error.h"
#include "apps/muster/server/engine_tls_check.h"
#include "apps/muster/server/exported_metrics.h"
#include "apps/muster/server/people_options.h"
#include "apps/muster/server/port_check.h"
#include "apps/muster/server/startup_message.h"
#include "apps/muster/server/web_assets.h"
#include "base/backoff.h"
#include "base/hex.h"
#include "ports/deadline.h"
#include "runtime/clock_jump_detector.h"
#include "runtime/systemd.h"
#include "services/bootstrap/cluster_join_client.h"
#include "services/cluster/keys.h"
#include "services/schema/ledger_schema.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <utility>

namespace muster::server {
namespace {

using namespace std::chrono_literals;
using cluster::engine;

constexpr backoff::options engine_pauses{.first = 200ms, .longest = 5s};
constexpr std::size_t descriptors_of_our_own = 256;  // engines, files, listeners
constexpr auto instance_file = "server-id";
constexpr std::size_t instance_bytes = 16;

bool worth_waiting(const error& failure) {
    return failure.code() == errc::unavailable || failure.code() == errc::timed_out;
}

std::string what_of(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& thrown) {
        return thrown.what();
    } catch (...) {
        return "something that is no exception";
    }
}

// The state of a random generator that only spreads waits, so it needs no more than this.
std::uint64_t seed() {
    return static_cast<std::uint64_t>(runtime::monotonic_now().time_since_epoch().count());
}

}  // namespace

server::server(runtime::settings settings, server_options options, dependencies deps)
    : settings_(std::move(settings)),
      options_(std::move(options)),
      deps_(std::move(deps)),
      work_(
          loop_.get_executor(),
          [this](const std::string& task, const std::exception_ptr& failure) {
              deps_.log.error("task failed", {{"task", task}, {"reason", what_of(failure)}});
              failure_ = error(errc::corrupt, task + ": " + what_of(failure));
              stop();
          }),
      control_(
          loop_.get_executor(),
          [this](const std::string& task, const std::exception_ptr& failure) {
              deps_.log.error("task failed", {{"task", task}, {"reason", what_of(failure)}});
              signals_.reset();
          }),
      gateway_(
          {.clock = clock_,
           .state = state_,
           .metrics = metrics_,
           .log = deps_.log,
           .pulse =
               [this] {
                   return turn_all_loops();
               }},
          {.server = options_.name,
           .people = people_options(options_, first_password_),
           .pages = web_assets()}) {}

server::~server() = default;

result<void> server::prepare() {
    CHECK_OK(runtime::check_wall_clock(clock_.wall()));
    const auto descriptors = os::raise_descriptor_limit();
    const auto agents =
        options_.has_role("node") ? options_.services.node.connections.attached_max : 0;
    const auto needed = options_.http.connections_max + agents + descriptors_of_our_own;
    if (descriptors < needed)
        deps_.log.warning(
            "the limit of open files is below what `http.connections_max` and `node.attached_max` "
            "allow; raise it (LimitNOFILE) or lower them",
            {{"open_files", descriptors}, {"needed", needed}});
    CHECK_OK(check_ports_available({options_.listen, options_.health}));
    TRY(data_, os::data_directory::open(settings_.path("data")));
    identity_.files.emplace(*data_, options_.keys);
    first_password_.open(data_->file(bootstrap::first_password_file));
    TRY(engines_, open_engines(settings_, {.where = *data_, .clock = clock_, .log = deps_.log}));
    export_limits(metrics_, engines_);
    make_roles();
    TRY(auto health_routes, gateway_.health_routes());
    TRY(ports_.health,
        net::http::server::start(
            {.listeners = {{
                 .where = options_.health,
                 .tls = nullptr,
                 .what = {.routes = std::make_shared<net::http::router>(std::move(health_routes))},
             }},
             .clock = &clock_}));
    TRY(auto authority, identity_.files->find_authority(clock_.wall()));
    // On a first start the CA comes with the cluster; later the port can open before the engines.
    if (authority && std::filesystem::exists(data_->file("server.pem"))) {
        CHECK_OK(open_public_port(std::move(*authority)));
    }
    return {};
}

void server::make_roles() {
    roles_ = std::make_unique<muster::roles::server_roles>(
        muster::roles::server_context{
            .engines =
                {.metastore = *engines_.metastore,
                 .ledger = *engines_.ledger,
                 .bus = *engines_.bus},
            .clock = clock_,
            .log = deps_.log,
            .metrics = metrics_,
            .state = state_,
            .credentials = identity_.credentials,
            .authenticator = gateway_.authenticator(),
            .own =
                {.name = options_.name,
                 .instance = instance(),
                 .address = options_.advertise,
                 .roles = options_.roles,
                 .version = MUSTER_VERSION,
                 .started = clock_.wall()},
            .lease_ttl = options_.lease_ttl},
        options_.services);
}

result<void> server::open_public_port(pki::authority authority) {
    std::vector<std::string> protocols{std::string(net::http::http_protocol)};
    if (options_.has_role("node")) protocols.emplace_back(net::http::channel_protocol);
    TRY(identity_.certificates,
        bootstrap::server_certificate_manager::make(
            *identity_.files,
            std::move(authority),
            clock_,
            deps_.log,
            {.protocols = std::move(protocols)}));
    identity_.credentials.open(*identity_.certificates);
    TRY(auto routes,
        options_.has_role("gateway") ? gateway_.public_routes()
                                     : gateway_.public_routes_of_others());
    CHECK_OK(roles_->add_routes(routes));
    net::http::service service{
        .routes = std::make_shared<net::http::router>(std::move(routes)),
        .channels = roles_->agent_connections(),
        .report = [this](std::string_view sentence) {
            deps_.log.error(sentence);
        }};
    TRY(ports_.open,
        net::http::server::start(
            {.listeners =
                 {{.where = options_.listen,
                   .tls = identity_.certificates->current(),
                   .what = std::move(service)}},
             .clock = &clock_,
             .allowed = options_.http,
             .loops = options_.loops,
             .proxies = options_.services.management.entry.proxies}));
    ports_.open_elsewhere = ports_.open.get();
    export_counters(metrics_, *ports_.open, "public");
    roles_->services().counters = &ports_.open->counted();
    work_.spawn("renew the certificate", identity_.certificates->renew_in_time());
    return {};
}

result<void> server::run() {
    CHECK_OK(prepare());
    runtime::signal_listener& listener = *this;
    signals_ = std::make_unique<runtime::signals>(loop_, listener);
    metrics_.watch_counter(
        {"muster_log_lines_dropped_total", "Log lines dropped because the writer was too slow."},
        [this] { return static_cast<double>(deps_.log.dropped()); });
    metrics_.watch_gauge({"muster_ready", "Whether this server can do its work."}, [this] {
        return state_.read().ready() ? 1.0 : 0.0;
    });
    for (const auto all_engine : cluster::all_engines) {
        metrics_.watch_gauge(
            {"muster_engine_up",
             "Whether an engine answers.",
             {{"engine", std::string(to_string(all_engine))}}},
            [this, all_engine] { return state_.read().of(all_engine).reachable ? 1.0 : 0.0; });
    }
    if (const auto interval = runtime::systemd::watchdog_interval())
        work_.spawn("feed the watchdog", feed_watchdog(*interval));
    work_.spawn("watch the clock", watch_clock());
    work_.spawn("start", start());
    runtime::systemd::ready("waiting for the engines");
    loop_.run();
    if (failure_) return fail(*failure_);
    return {};
}

boost::asio::awaitable<void> server::start() {
    const auto started = co_await start_up();
    if (started || stopping_) co_return;
    failure_ = started.error();
    stop();
}

template <class T>
async<T> server::patiently(std::function<engine()> callback, std::function<async<T>()> attempt) {
    backoff pauses(engine_pauses, prng(seed()));
    while (true) {
        auto outcome = co_await attempt();
        const auto which = callback();
        if (!outcome)
            outcome =
                fail(disk_full_error(outcome.error(), to_string(which), settings_, data_->path()));
        if (outcome) {
            state_.heard_of(which, {}, clock_.wall());
            co_return outcome;
        }
        if (!worth_waiting(outcome.error())) co_return outcome;
        if (state_.heard_of(which, fail(outcome.error()), clock_.wall())) {
            const std::string name(to_string(which));
            deps_.log.warning(
                "waiting for an engine",
                {{"engine", name}, {"reason", to_string(outcome.error())}});
            runtime::systemd::status("waiting for the " + name);
        }
        CO_CHECK_OK(co_await clock_.sleep_for(pauses.next()));
    }
}

// Before anything is written: a ledger of another cluster is not migrated, and a join token is not
// spent on a server that cannot come in.
async<void> server::check(
    bootstrap::cluster_bootstrap& origin, bootstrap::cluster_bootstrap::ca_source ca_source) {
    std::function<async<void>()> compare = [&origin, ca_source] {
        return origin.check(ca_source);
    };
    co_return co_await patiently([&origin] { return origin.asked(); }, std::move(compare));
}

async<void> server::start_up() {
    std::function<async<kv::lookup>()> look = [this] {
        return engines_.metastore->get(std::string(cluster::keys::identity));
    };
    CO_CHECK_OK(co_await patiently([] { return engine::metastore; }, std::move(look)));
    bootstrap::cluster_bootstrap origin(
        *data_, *identity_.files, *engines_.metastore, *engines_.ledger, clock_);
    if (!options_.join.empty() || !options_.join_file.empty()) {
        CO_CHECK_OK(co_await check(origin, bootstrap::cluster_bootstrap::ca_source::by_joining));
        bootstrap::cluster_join_client with(
            *identity_.files,
            clock_,
            deps_.log,
            {.token = options_.join,
             .token_file = options_.join_file,
             .name = options_.name,
             .instance = instance(),
             .address = options_.advertise,
             .node = options_.has_role("node")});
        CO_CHECK_OK(co_await with.run());
    }
    CO_CHECK_OK(co_await check(origin, bootstrap::cluster_bootstrap::ca_source::is_here));
    std::function<async<void>()> migrate = [this] {
        return engines_.ledger->migrate(schema::ledger_schema());
    };
    CO_CHECK_OK(co_await patiently([] { return engine::ledger; }, std::move(migrate)));
    std::function<async<bootstrap::cluster_bootstrap::bootstrap_result>()> find = [&origin] {
        return origin.run();
    };
    CO_TRY(auto match, co_await patiently([&origin] { return origin.asked(); }, std::move(find)));
    for (const auto each : {engine::metastore, engine::ledger})
        state_.heard_of(each, {}, clock_.wall());  // both have answered, whoever was away before
    if (!ports_.open) {
        CO_CHECK_OK(open_public_port(match.authority));
    }
    begin_work(match);
    announce(
        {.cluster = match.record.id,
         .is_new = match.is_new,
         .url = options_.local_url(),
         .advertised = options_.advertise,
         .authority = data_->file("ca.pem"),
         .first_password = data_->file(bootstrap::first_password_file)},
        deps_.log);
    co_return result<void>();
}

std::string server::instance() {
    const auto file = data_->file(instance_file);
    auto existing = os::load_file(file);
    if (existing && !existing->empty()) return *existing;
    auto hex = to_hex(os::random_bytes(instance_bytes));
    ignore_error(
        os::save_file({.file = file, .text = hex}),
        "without the file a restart only waits for the old entry's lease to end");
    return hex;
}

void server::begin_work(const bootstrap::cluster_bootstrap::bootstrap_result& cluster) {
    roles_->start(work_);
    auto& services = roles_->services();
    gateway_.open(
        {.engines = services.cluster.engines,
         .bus = services.cluster.bus,
         .topology = services.cluster.topology,
         .people = services.people,
         .cluster = cluster.record});
    monitor_.emplace(
        services.cluster.engines, clock_, state_, deps_.log, cluster::engine_monitor::options{});
    for (const auto all_engine : cluster::all_engines)
        work_.spawn("watch an engine", monitor_->watch(all_engine));
    state_.enter(cluster::stage::serving);
}

void server::reload() {
    deps_.log.info("reloading certificate and log level");
    if (identity_.certificates) identity_.certificates->reload();
    const auto fresh = deps_.read_again();
    for (const auto& problem : fresh.problems)
        deps_.log.error("the settings cannot be used", {{"problem", problem}});
    if (!fresh.problems.empty()) {
        deps_.log.error("the settings have problems; the log level stays as it is");
        return;
    }
    const auto level = runtime::parse_log_level(fresh.values.text("log.level"));
    if (level) deps_.log.set_level(*level);
}

void server::hurry() {
    deps_.log.warning("stopping at once");
    deps_.log.flush();
    std::_Exit(EXIT_FAILURE);
}

void server::stop() {
    if (std::exchange(stopping_, true)) return;
    control_.spawn("stop", shut_down());
}

// The node says that it goes before its lease ends: a planned stop is no disaster.
boost::asio::awaitable<void> server::shut_down() {
    const bool refused = failure_ && !monitor_;  // it is told why, and there is nothing to finish
    if (!refused) deps_.log.info("stopping: running requests are finished first");
    runtime::systemd::stopping("draining");
    state_.enter(cluster::stage::draining);
    if (ports_.open) {
        const auto cut = co_await ports_.open->drain(options_.drain_timeout);
        if (cut && *cut > 0)
            deps_.log.warning(
                "not drained in time (drain.timeout): connections were cut",
                {{"connections", *cut}});
    }
    work_.cancel();
    co_await work_.join();
    if (monitor_) co_await roles_->stop();
    ignore_error(co_await ports_.health->drain(0s), "health requests may be cut");
    if (!refused) deps_.log.info("stopped");
    signals_.reset();  // the last thing the loop waits for
}

}  // namespace muster::server
