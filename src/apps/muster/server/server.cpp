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
constexpr std::size_t own_descriptors = 256;  // engines, files, listeners
constexpr auto instance_file = "server-id";
constexpr std::size_t instance_bytes = 16;

bool is_retryable(const error& failure) {
    return failure.code() == errc::unavailable || failure.code() == errc::timed_out;
}

std::string exception_text(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        return "unknown exception";
    }
}

// Seed of a random generator that only spreads retries.
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
              deps_.log.error(
                  "background task failed", {{"task", task}, {"error", exception_text(failure)}});
              failure_ = error(errc::corrupt, task + ": " + exception_text(failure));
              stop();
          }),
      control_(
          loop_.get_executor(),
          [this](const std::string& task, const std::exception_ptr& failure) {
              deps_.log.error(
                  "shutdown task failed", {{"task", task}, {"error", exception_text(failure)}});
              signals_.reset();
          }),
      gateway_(
          {.clock = clock_,
           .state = state_,
           .metrics = metrics_,
           .log = deps_.log,
           .check_event_loops =
               [this] {
                   return check_event_loops();
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
    const auto needed = options_.http.connections_max + agents + own_descriptors;
    if (descriptors < needed)
        deps_.log.warning(
            "open file limit too low",
            {{"limit", descriptors},
             {"needed", needed},
             {"hint", "raise LimitNOFILE, or lower http.connections_max or node.attached_max"}});
    CHECK_OK(check_ports_available({options_.listen, options_.health}));
    TRY(data_, os::data_directory::open(settings_.path("data")));
    identity_.files.emplace(*data_, options_.keys);
    first_password_.open(data_->file(bootstrap::first_password_file));
    TRY(engines_, open_engines(settings_, {.data = *data_, .clock = clock_, .log = deps_.log}));
    export_limits(metrics_, engines_);
    create_roles();
    TRY(auto health_routes, gateway_.health_routes());
    TRY(ports_.health,
        net::http::server::start(
            {.listeners = {{
                 .address = options_.health,
                 .tls = nullptr,
                 .service =
                     {.routes = std::make_shared<net::http::router>(std::move(health_routes))},
             }},
             .clock = &clock_}));
    TRY(auto authority, identity_.files->find_authority(clock_.wall()));
    // On the first start the CA comes with the cluster. Later the port opens before the engines do.
    if (authority && std::filesystem::exists(data_->file("server.pem"))) {
        CHECK_OK(open_public_port(std::move(*authority)));
    }
    return {};
}

void server::create_roles() {
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
        bootstrap::server_certificate_manager::create(
            *identity_.files,
            std::move(authority),
            clock_,
            deps_.log,
            {.protocols = std::move(protocols)}));
    identity_.credentials.open(*identity_.certificates);
    TRY(auto routes,
        options_.has_role("gateway") ? gateway_.public_routes()
                                     : gateway_.public_routes_without_ui());
    CHECK_OK(roles_->add_routes(routes));
    net::http::service service{
        .routes = std::make_shared<net::http::router>(std::move(routes)),
        .channels = roles_->agent_connections(),
        .report = [this](std::string_view message) {
            deps_.log.error("HTTP request handling failed", {{"error", message}});
        }};
    TRY(ports_.public_port,
        net::http::server::start(
            {.listeners =
                 {{.address = options_.listen,
                   .tls = identity_.certificates->current(),
                   .service = std::move(service)}},
             .clock = &clock_,
             .limits = options_.http,
             .loops = options_.loops,
             .proxies = options_.services.management.entry.proxies}));
    ports_.shared_public_port = ports_.public_port.get();
    export_counters(metrics_, *ports_.public_port, "public");
    roles_->services().counters = &ports_.public_port->metrics();
    work_.spawn("certificate renewal", identity_.certificates->renew_in_time());
    return {};
}

result<void> server::run() {
    CHECK_OK(prepare());
    runtime::signal_listener& listener = *this;
    signals_ = std::make_unique<runtime::signals>(loop_, listener);
    metrics_.watch_counter(
        {"muster_log_lines_dropped_total",
         "Total number of log lines dropped because the writer was too slow."},
        [this] { return static_cast<double>(deps_.log.dropped()); });
    metrics_.watch_gauge(
        {"muster_ready", "Readiness of this server (1: ready, 0: not ready)."},
        [this] { return state_.read().is_ready() ? 1.0 : 0.0; });
    for (const auto engine_kind : cluster::all_engines) {
        metrics_.watch_gauge(
            {"muster_engine_up",
             "Availability of an engine (1: reachable, 0: unreachable).",
             {{"engine", std::string(to_string(engine_kind))}}},
            [this, engine_kind] {
                return state_.read().state_of(engine_kind).reachable ? 1.0 : 0.0;
            });
    }
    if (const auto interval = runtime::systemd::watchdog_interval())
        work_.spawn("systemd watchdog", feed_watchdog(*interval));
    work_.spawn("clock check", watch_clock());
    work_.spawn("startup", start());
    runtime::systemd::notify_ready("waiting for engines");
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
async<T> server::retry_until_available(
    std::function<engine()> checked_engine, std::function<async<T>()> attempt) {
    backoff pauses(engine_pauses, prng(seed()));
    while (true) {
        auto outcome = co_await attempt();
        const auto engine_kind = checked_engine();
        if (!outcome)
            outcome = fail(
                disk_full_error(outcome.error(), to_string(engine_kind), settings_, data_->path()));
        if (outcome) {
            state_.record_check(engine_kind, {}, clock_.wall());
            co_return outcome;
        }
        if (!is_retryable(outcome.error())) co_return outcome;
        if (state_.record_check(engine_kind, fail(outcome.error()), clock_.wall())) {
            const std::string name(to_string(engine_kind));
            deps_.log.warning(
                "engine unavailable at startup",
                {{"engine", name}, {"error", to_string(outcome.error())}});
            runtime::systemd::notify_status("waiting for " + name);
        }
        CO_CHECK_OK(co_await clock_.sleep_for(pauses.next()));
    }
}

// Runs before anything is written: a ledger of another cluster must not be migrated, and a join
// token must not be spent on a server that cannot join.
async<void> server::check(
    bootstrap::cluster_bootstrap& bootstrapper, bootstrap::cluster_bootstrap::ca_source ca_source) {
    std::function<async<void>()> compare = [&bootstrapper, ca_source] {
        return bootstrapper.check(ca_source);
    };
    co_return co_await retry_until_available(
        [&bootstrapper] { return bootstrapper.last_engine(); }, std::move(compare));
}

async<void> server::start_up() {
    std::function<async<kv::lookup>()> read_identity = [this] {
        return engines_.metastore->get(std::string(cluster::keys::identity));
    };
    CO_CHECK_OK(
        co_await retry_until_available([] { return engine::metastore; }, std::move(read_identity)));
    bootstrap::cluster_bootstrap bootstrapper(
        *data_, *identity_.files, *engines_.metastore, *engines_.ledger, clock_);
    if (!options_.join.empty() || !options_.join_file.empty()) {
        CO_CHECK_OK(co_await check(bootstrapper, bootstrap::cluster_bootstrap::ca_source::join));
        bootstrap::cluster_join_client join_client(
            *identity_.files,
            clock_,
            deps_.log,
            {.token = options_.join,
             .token_file = options_.join_file,
             .name = options_.name,
             .instance = instance(),
             .address = options_.advertise,
             .node = options_.has_role("node")});
        CO_CHECK_OK(co_await join_client.run());
    }
    CO_CHECK_OK(co_await check(bootstrapper, bootstrap::cluster_bootstrap::ca_source::local));
    std::function<async<void>()> migrate = [this] {
        return engines_.ledger->migrate(schema::ledger_schema());
    };
    CO_CHECK_OK(co_await retry_until_available([] { return engine::ledger; }, std::move(migrate)));
    std::function<async<bootstrap::cluster_bootstrap::bootstrap_result>()> bootstrap_cluster =
        [&bootstrapper] {
            return bootstrapper.run();
        };
    CO_TRY(
        auto cluster,
        co_await retry_until_available(
            [&bootstrapper] { return bootstrapper.last_engine(); }, std::move(bootstrap_cluster)));
    for (const auto engine_kind : {engine::metastore, engine::ledger})
        state_.record_check(engine_kind, {}, clock_.wall());  // both have answered
    if (!ports_.public_port) {
        CO_CHECK_OK(open_public_port(cluster.authority));
    }
    start_services(cluster);
    announce(
        {.cluster = cluster.record.id,
         .is_new = cluster.is_new,
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
        "without the file, a restart waits until the lease of the old entry expires");
    return hex;
}

void server::start_services(const bootstrap::cluster_bootstrap::bootstrap_result& cluster) {
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
    for (const auto engine_kind : cluster::all_engines)
        work_.spawn("engine monitor", monitor_->watch(engine_kind));
    state_.set_stage(cluster::stage::serving);
}

void server::reload() {
    deps_.log.info("certificate and log level reload started");
    if (identity_.certificates) identity_.certificates->reload();
    const auto resolution = deps_.read_settings();
    for (const auto& problem : resolution.problems)
        deps_.log.error("invalid setting in reload", {{"error", problem}});
    if (!resolution.problems.empty()) {
        deps_.log.error(
            "settings reload rejected; log level unchanged",
            {{"count", resolution.problems.size()}});
        return;
    }
    const auto level = runtime::parse_log_level(resolution.values.text("log.level"));
    if (level) deps_.log.set_level(*level);
}

void server::stop_now() {
    deps_.log.warning("immediate shutdown requested");
    deps_.log.flush();
    std::_Exit(EXIT_FAILURE);
}

void server::stop() {
    if (std::exchange(stopping_, true)) return;
    control_.spawn("shutdown", shut_down());
}

// The node announces its departure before its lease ends: a planned stop is not an outage.
boost::asio::awaitable<void> server::shut_down() {
    const bool start_failed = failure_ && !monitor_;  // run() reports it; there is nothing to drain
    if (!start_failed) deps_.log.info("shutdown started; draining requests");
    runtime::systemd::notify_stopping("draining");
    state_.set_stage(cluster::stage::draining);
    if (ports_.public_port) {
        const auto closed = co_await ports_.public_port->drain(options_.drain_timeout);
        if (closed && *closed > 0)
            deps_.log.warning(
                "drain timed out", {{"connections", *closed}, {"hint", "raise drain.timeout"}});
    }
    work_.cancel();
    co_await work_.join();
    if (monitor_) co_await roles_->stop();
    ignore_error(co_await ports_.health->drain(0s), "health requests may be aborted");
    if (!start_failed) deps_.log.info("server stopped");
    signals_.reset();  // the last thing the loop waits for
}

}  // namespace muster::server
