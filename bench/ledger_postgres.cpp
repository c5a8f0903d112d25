// Idempotent, durably acknowledged rows through the ledger's port, from many concurrent callers,
// beside raw binary COPY on one connection into a table of the same kind of the same server. The
// goal is for the ledger as it is by default; what one connection of it does is measured for
// information.
//
// Reference and ours take turns, each into empty tables after a checkpoint; what counts is the
// median of the rounds' ratios. All write the same rows in the same order, because what an index
// costs depends on it: a job's systems one after the other, then the next job's.
//
//   bench_ledger_postgres [seconds for each measurement [rounds]]

#include "adapters/ledger/postgres/binary.h"
#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/postgres_ledger.h"
#include "bench/measure.h"
#include "runtime/clock.h"
#include "tests/harness/postgres_server.h"
#include "tests/harness/real_event_loop.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;

constexpr std::size_t payload_bytes = 440;  // about 500 bytes a row with the other columns
constexpr std::size_t copy_rows = 5'000;    // in one transaction, as many as a full group
constexpr std::size_t job_systems = 20'000;

table::definition returns(std::string name, table::sequencing sequenced) {
    using table::column_type;
    return {
        .name = std::move(name),
        .columns =
            {{.name = "job", .type = column_type::integer},
             {.name = "system", .type = column_type::text},
             {.name = "state", .type = column_type::integer},
             {.name = "at", .type = column_type::time},
             {.name = "report", .type = column_type::bytes}},
        .key = {"job", "system"},
        .partition = {},
        .sequenced = sequenced};
}

table::schema bench_schema() {
    return {
        .migrations = {
            {.version = 1,
             .description = "returns",
             .steps = {
                 table::create_table{returns("raw", table::sequencing::none)},
                 table::create_table{returns("plain", table::sequencing::none)},
                 table::create_table{returns("followed", table::sequencing::by_commit)}}}}};
}

table::row one_return(std::size_t number) {
    const auto job = static_cast<std::int64_t>(number / job_systems);
    const auto system = number % job_systems;
    return {
        job,
        fmt::format("web{:06}.acme.example", system),
        std::int64_t{2},
        wall_time(std::chrono::microseconds(1'763'000'000'000'000 + job)),
        table::blob{std::string(payload_bytes, static_cast<char>(system))}};
}

// CPU seconds of the living processes of the server.
double server_seconds(pid_t server) {
    double ticks = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream in(entry.path() / "stat");
        std::string line;
        if (!std::getline(in, line) || line.rfind(')') == std::string::npos) continue;
        std::istringstream rest(line.substr(line.rfind(')') + 1));
        std::string skipped;
        pid_t parent = 0;
        rest >> skipped >> parent;
        for (int field = 5; field < 14; ++field) rest >> skipped;
        double user = 0;
        double system = 0;
        rest >> user >> system;
        const auto pid = std::atoi(entry.path().filename().c_str());
        if (parent == server || pid == server) ticks += user + system;
    }
    return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

struct measurement {
    double rows_per_second = 0;
    double client_us = 0;  // CPU a row
    double server_us = 0;
};

class meter {
public:
    explicit meter(pid_t server) : server_(server) {}

    measurement stop(std::size_t rows) const {
        const auto count = static_cast<double>(rows);
        const std::chrono::duration<double> took = runtime::monotonic_now() - began_;
        return {
            .rows_per_second = count / took.count(),
            .client_us = (bench::own_cpu_seconds() - client_) * 1e6 / count,
            .server_us = (server_seconds(server_) - at_server_) * 1e6 / count};
    }

private:
    pid_t server_;
    instant began_ = runtime::monotonic_now();
    double client_ = bench::own_cpu_seconds();
    double at_server_ = server_seconds(server_);
};

void require(const result<void>& outcome) {
    if (!outcome) throw std::runtime_error(to_string(outcome.error()));
}

measurement raw_copy(
    ledger_postgres::connection& connection, pid_t server, std::chrono::milliseconds length) {
    const meter measured(server);
    const instant end = runtime::monotonic_now() + length;
    std::size_t rows = 0;
    while (runtime::monotonic_now() < end) {
        std::string content;
        ledger_postgres::append_copy_header(content);
        for (std::size_t row = 0; row < copy_rows; ++row) {
            const auto cells = one_return(rows + row);
            ledger_postgres::append_tuple_start(cells.size(), content);
            for (const auto& cell : cells) ledger_postgres::append_field(cell, content);
        }
        ledger_postgres::append_copy_trailer(content);
        const instant deadline = runtime::monotonic_now() + 10s;
        require(connection.copy_in("COPY raw FROM STDIN (FORMAT binary)", content, deadline));
        rows += copy_rows;
    }
    return measured.stop(rows);
}

struct load {
    std::string table;
    std::size_t callers = 0;
    std::size_t batch_rows = 0;
};

struct progress {
    instant end;
    std::size_t begun = 0;  // rows
    std::size_t rows = 0;   // that are written
};

awaitable<void> call(ledger& target, load load, progress& all) {
    while (runtime::monotonic_now() < all.end) {
        const auto first = std::exchange(all.begun, all.begun + load.batch_rows);
        table::batch change;
        change.writes.push_back(
            {.table = load.table, .rows = {}, .existing = table::replace_if_grows{"state"}});
        for (std::size_t row = 0; row < load.batch_rows; ++row)
            change.writes.back().rows.push_back(one_return(first + row));
        const auto done = co_await target.write(std::move(change));
        if (!done) throw std::runtime_error(to_string(done.error()));
        if (done->changed != load.batch_rows) throw std::runtime_error("rows already exist");
        all.rows += load.batch_rows;
    }
}

measurement measure_ledger(
    ledger& target, load load, pid_t server, std::chrono::milliseconds length) {
    boost::asio::io_context loop(1);
    std::exception_ptr failure;
    const meter measured(server);
    progress all{.end = runtime::monotonic_now() + length};
    for (std::size_t caller = 0; caller < load.callers; ++caller) {
        boost::asio::co_spawn(loop, call(target, load, all), [&failure](std::exception_ptr thrown) {
            if (thrown) failure = thrown;
        });
    }
    loop.run();
    if (failure) std::rethrow_exception(failure);
    return measured.stop(all.rows);
}

awaitable<void> migrate(ledger& target) {
    require(co_await target.migrate(bench_schema()));
}

double median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

// The results of all rounds of one way to write.
struct series {
    std::string name;
    std::vector<measurement> rounds;

    double middle(double measurement::* figure) const {
        std::vector<double> values;
        for (const auto& round : rounds) values.push_back(round.*figure);
        return median(std::move(values));
    }

    std::vector<double> ratios_to(const series& reference) const {
        std::vector<double> ratios;
        for (std::size_t round = 0; round < rounds.size(); ++round)
            ratios.push_back(
                rounds[round].rows_per_second / reference.rounds[round].rows_per_second);
        return ratios;
    }

    void print(const series& reference) const {
        const auto ratios = ratios_to(reference);
        fmt::print(
            "{:<52} {:>7.0f} rows/s  ratio {:.2f} ({:.2f} to {:.2f})  CPU us/row: client {:.1f} "
            "server {:.1f}\n",
            name,
            middle(&measurement::rows_per_second),
            median(ratios),
            std::ranges::min(ratios),
            std::ranges::max(ratios),
            middle(&measurement::client_us),
            middle(&measurement::server_us));
    }
};

// One way to write through the port, with its results.
struct candidate {
    muster::ledger& ledger;
    load workload;
    series results;
};

class comparison {
public:
    comparison(const harness::postgres_server& server, ledger_postgres::settings settings)
        : server_(server.pid()), options_(std::move(settings)) {
        auto result = ledger_postgres::connection::open(options_, runtime::monotonic_now() + 10s);
        if (!result) throw std::runtime_error(to_string(result.error()));
        connection_.emplace(*std::move(result));
        options_.writers = 1;
        single_ = ledger_postgres::open(options_);
        options_.writers = ledger_postgres::settings().writers;
        usual_ = ledger_postgres::open(options_);
        harness::real_event_loop().run(migrate(*single_));
        harness::real_event_loop().run(migrate(*usual_));
    }

    void add(const load& load) {
        const auto name = fmt::format(
            "{}: {} callers, {} rows per batch", load.table, load.callers, load.batch_rows);
        others_.push_back({*single_, load, {.name = name + ", one writer", .rounds = {}}});
        goals_.push_back(
            {*usual_,
             load,
             {.name = fmt::format("{}, {} writers", name, options_.writers), .rounds = {}}});
    }

    void round(std::chrono::milliseconds length) {
        clear();
        reference_.rounds.push_back(raw_copy(*connection_, server_, length));
        for (auto* candidates : {&goals_, &others_}) {
            for (auto& candidate : *candidates) {
                clear();
                candidate.results.rounds.push_back(
                    measure_ledger(candidate.ledger, candidate.workload, server_, length));
            }
        }
    }

    void report() const {
        reference_.print(reference_);
        for (const auto& other : others_) other.results.print(reference_);
        for (const auto& goal : goals_) goal.results.print(reference_);
        for (const auto& goal : goals_)
            bench::check_at_least(
                {.name = goal.results.name + ", relative to raw COPY on one connection (rows)",
                 .measured = median(goal.results.ratios_to(reference_))},
                0.45);
    }

private:
    void clear() {
        const instant deadline = runtime::monotonic_now() + 30s;
        require(connection_->run("TRUNCATE raw, plain, followed", deadline));
        require(connection_->run("CHECKPOINT", deadline));
    }

    pid_t server_;
    ledger_postgres::settings options_;
    std::optional<ledger_postgres::connection> connection_;
    std::unique_ptr<ledger> single_;
    std::unique_ptr<ledger> usual_;
    series reference_{.name = "raw binary COPY, one connection", .rounds = {}};
    std::vector<candidate> goals_;
    std::vector<candidate> others_;
};

void run(std::chrono::milliseconds length, int rounds) {
    harness::postgres_server server;
    server.create_database("bench");
    ledger_postgres::settings settings;
    settings.address = server.address("bench");
    settings.tls = ledger_postgres::tls_mode::off;
    settings.attempt = 30s;
    settings.timeout = 30s;
    comparison comparison_run(server, settings);
    comparison_run.add({.table = "plain", .callers = 1'000, .batch_rows = 20});
    comparison_run.add({.table = "plain", .callers = 10'000, .batch_rows = 1});
    comparison_run.add({.table = "followed", .callers = 1'000, .batch_rows = 20});
    for (int done = 0; done < rounds; ++done) comparison_run.round(length);
    comparison_run.report();
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
    return muster::bench::run(argc, argv, [](const auto& arguments) {
        const auto number = [&arguments](std::size_t at, int otherwise) {
            return arguments.size() > at ? std::stoi(arguments[at]) : otherwise;
        };
        muster::run(std::chrono::seconds(number(1, 2)), number(2, 5));
        return 0;
    });
}
