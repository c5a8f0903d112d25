#include "adapters/ledger/postgres/connection.h"

#include "adapters/ledger/postgres/binary.h"
#include "adapters/ledger/postgres/hosts.h"
#include "adapters/ledger/postgres/parameters.h"
#include "base/assert.h"
#include "runtime/clock.h"

#include <algorithm>
#include <array>
#include <libpq-fe.h>
#include <optional>
#include <poll.h>
#include <utility>

namespace muster::ledger_postgres {
namespace {

int milliseconds_until(instant deadline) {
    const auto remaining =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - runtime::monotonic_now());
    return static_cast<int>(std::clamp<std::int64_t>(remaining.count(), 0, 3'600'000));
}

// The deadline of the first of `count` attempts that share the remaining time equally.
instant deadline_share(instant deadline, std::size_t count) {
    const auto now = runtime::monotonic_now();
    return now + (deadline - now) / static_cast<std::int64_t>(count);
}

bool is_failure(const query_result& query_result) {
    const auto status = PQresultStatus(query_result.raw());
    return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
}

std::string trim(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

}  // namespace

void connection::finish::operator()(pg_conn* raw) const {
    PQfinish(raw);
}

std::unexpected<error> connection::connection_lost(const std::string& text) {
    broken_ = true;
    return fail(errc::timed_out, text + ": " + trim(PQerrorMessage(raw_.get())));
}

std::unexpected<error> connection::server_error(
    const query_result& query_result, sqlstate_meaning meaning) {
    constexpr std::string_view read_only_transaction = "25006";
    const char* state = PQresultErrorField(query_result.raw(), PG_DIAG_SQLSTATE);
    if (state != nullptr && state == read_only_transaction) broken_ = true;
    return fail(failure_of(query_result, meaning));
}

std::unexpected<error> connection::abandon(const std::string& reason) {
    broken_ = true;
    return fail(errc::timed_out, reason);
}

result<bool> connection::wait_for_socket(short events, instant deadline) {
    std::array<pollfd, 2> sources{};
    sources[0].fd = PQsocket(raw_.get());
    sources[0].events = events;
    sources[1].fd = wake_;
    sources[1].events = POLLIN;
    const int ready_count = ::poll(sources.data(), sources.size(), milliseconds_until(deadline));
    if (ready_count > 0 && sources[1].revents != 0) return abandon("ledger is closing");
    return ready_count > 0;
}

result<void> connection::wait(wait_events wanted, instant deadline) {
    const short events = wanted == wait_events::read ? POLLIN : POLLIN | POLLOUT;
    while (true) {
        const bool observed = observation_.observer != nullptr;
        const instant check_at =
            observed ? runtime::monotonic_now() + observation_.interval : deadline;
        TRY(const bool ready, wait_for_socket(events, std::min(check_at, deadline)));
        if (ready) return {};
        const instant now = runtime::monotonic_now();
        if (now >= deadline) return abandon("PostgreSQL did not respond in time");
        if (now < check_at) return {};  // a signal: look again
        if (auto checked = observation_.observer->check(); !checked)
            return abandon(checked.error().detail());
    }
}

result<connection> connection::start(const settings& settings, const host_address& host, int wake) {
    TRY(const connect_parameters parameters, connect_parameters::create(settings, host));
    pg_conn* raw = PQconnectStartParams(parameters.names(), parameters.values(), 1);
    if (raw == nullptr) return fail(errc::unavailable, "not enough memory for a connection");
    return connection(raw, wake);
}

result<connection> connection::open(const settings& settings, limits bounds) {
    TRY(const auto hosts, host_addresses_of(settings.address));
    const auto first = settings.last_good_host->load();
    std::string reasons;
    for (std::size_t tried = 0; tried < hosts.size(); ++tried) {
        const auto index = (first + tried) % hosts.size();
        auto result = open_at(
            settings,
            hosts[index],
            {.deadline = deadline_share(bounds.deadline, hosts.size() - tried),
             .wake = bounds.wake});
        if (result) {
            settings.last_good_host->store(index);
            return result;
        }
        const auto reason = trim(result.error().detail());
        if (!reasons.contains(reason)) reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    return fail(errc::unavailable, "cannot connect to PostgreSQL: " + reasons);
}

result<connection> connection::open_at(
    const settings& settings, const host_address& host, limits bounds) {
    TRY(connection opened, start(settings, host, bounds.wake));
    CHECK_OK(opened.finish_connect(bounds.deadline));
    PQsetnonblocking(opened.raw_.get(), 1);
    PQsetNoticeProcessor(opened.raw_.get(), [](void*, const char*) {}, nullptr);
    return opened;
}

bool connection::server_responds(const settings& settings, limits bounds) const {
    const auto to_text = [](const char* text) {
        return std::string(text == nullptr ? "" : text);
    };
    auto opened = start(
        settings,
        {.host = to_text(PQhost(raw_.get())),
         .address = to_text(PQhostaddr(raw_.get())),
         .port = to_text(PQport(raw_.get()))},
        bounds.wake);
    if (!opened) return true;  // says nothing of the server
    const auto connected = opened->finish_connect(bounds.deadline);
    return connected || connected.error().code() != errc::timed_out;
}

// errc::timed_out: no response; errc::unavailable: the server refused.
result<void> connection::finish_connect(instant deadline) {
    auto step =
        PQstatus(raw_.get()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    while (step != PGRES_POLLING_OK) {
        if (step == PGRES_POLLING_FAILED)
            return fail(
                errc::unavailable, "connecting: " + std::string(PQerrorMessage(raw_.get())));
        TRY(const bool ready,
            wait_for_socket(step == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline));
        if (ready) {
            step = PQconnectPoll(raw_.get());
        } else if (runtime::monotonic_now() >= deadline) {
            return connection_lost("connection attempt timed out");
        }
    }
    return {};
}

result<void> connection::flush(instant deadline) {
    while (true) {
        const int remaining = PQflush(raw_.get());
        if (remaining < 0) return connection_lost("sending");
        if (remaining == 0) return {};
        CHECK_OK(wait(wait_events::read_and_write, deadline));
        if (PQconsumeInput(raw_.get()) == 0) return connection_lost("reading");
    }
}

result<void> connection::send(const ledger_sql::statement& statement) {
    const bound_parameters bound(statement.parameters);
    const int sent = PQsendQueryParams(
        raw_.get(),
        statement.text.c_str(),
        bound.count(),
        bound.types(),
        bound.values(),
        bound.lengths(),
        bound.formats(),
        1);
    if (sent == 0) return connection_lost("sending");
    return {};
}

result<query_result> connection::next_result(instant deadline) {
    while (PQisBusy(raw_.get()) != 0) {
        CHECK_OK(flush(deadline));
        CHECK_OK(wait(wait_events::read, deadline));
        if (PQconsumeInput(raw_.get()) == 0) return connection_lost("reading");
    }
    return query_result(PQgetResult(raw_.get()));
}

result<query_result> connection::read_statement_result(instant deadline, sqlstate_meaning meaning) {
    std::optional<query_result> outcome;
    while (true) {
        TRY(query_result result, next_result(deadline));
        if (result.raw() == nullptr) break;
        if (PQstatus(raw_.get()) == CONNECTION_BAD) return connection_lost("reading");
        if (!outcome || !is_failure(*outcome)) outcome.emplace(std::move(result));
    }
    if (!outcome) return connection_lost("no response");
    if (is_failure(*outcome)) return server_error(*outcome, meaning);
    return *std::move(outcome);
}

result<void> connection::discard_results(instant deadline) {
    while (true) {
        TRY(const query_result query_result, next_result(deadline));
        if (query_result.raw() == nullptr) return {};
        if (PQstatus(raw_.get()) == CONNECTION_BAD) return connection_lost("reading");
    }
}

result<void> connection::run(const std::string& text, instant deadline) {
    if (PQsendQuery(raw_.get(), text.c_str()) == 0) return connection_lost("sending");
    CHECK_OK(flush(deadline));
    CHECK_OK(read_statement_result(deadline));
    return {};
}

result<query_result> connection::execute(const ledger_sql::statement& statement, instant deadline) {
    CHECK_OK(send(statement));
    CHECK_OK(flush(deadline));
    return read_statement_result(deadline);
}

result<void> connection::execute_by_row(
    const ledger_sql::statement& statement, row_handler handle_row, instant deadline) {
    CHECK_OK(send(statement));
    PQsetSingleRowMode(raw_.get());
    CHECK_OK(flush(deadline));
    std::optional<error> failure;
    while (true) {
        TRY(query_result query_result, next_result(deadline));
        if (query_result.raw() == nullptr) break;
        if (PQstatus(raw_.get()) == CONNECTION_BAD) return connection_lost("reading");
        if (failure) continue;
        if (is_failure(query_result)) {
            failure = server_error(query_result).error();
        } else if (query_result.rows() > 0) {
            if (auto handled = handle_row(query_result); !handled) failure = handled.error();
        }
    }
    if (failure) return fail(*failure);
    return {};
}

result<void> connection::send_copy(piece_source next_piece, instant deadline) {
    std::string piece;
    while (true) {
        piece.clear();
        next_piece(piece);
        if (piece.empty()) break;
        while (true) {
            const int copied =
                PQputCopyData(raw_.get(), piece.data(), static_cast<int>(piece.size()));
            if (copied < 0) return connection_lost("sending");
            if (copied > 0) break;
            CHECK_OK(flush(deadline));
        }
        CHECK_OK(flush(deadline));
    }
    if (PQputCopyEnd(raw_.get(), nullptr) < 0) return connection_lost("sending");
    return flush(deadline);
}

result<void> connection::copy_in(
    const std::string& text, std::string_view content, instant deadline) {
    constexpr std::size_t piece_bytes = 256 * std::size_t{1024};
    const auto next_piece = [&](std::string& piece) {
        piece.append(content.substr(0, piece_bytes));
        content.remove_prefix(std::min(piece_bytes, content.size()));
    };
    return copy_in(text, next_piece, deadline);
}

result<void> connection::copy_in(
    const std::string& text, piece_source next_piece, instant deadline) {
    if (PQsendQuery(raw_.get(), text.c_str()) == 0) return connection_lost("sending");
    CHECK_OK(flush(deadline));
    while (true) {  // the statements in front of COPY answer first
        TRY(query_result query_result, next_result(deadline));
        if (query_result.raw() == nullptr) return fail(errc::invalid, "not a COPY: " + text);
        if (PQresultStatus(query_result.raw()) == PGRES_COPY_IN) break;
        if (!is_failure(query_result)) continue;
        CHECK_OK(discard_results(deadline));
        return server_error(query_result);
    }
    CHECK_OK(send_copy(next_piece, deadline));
    CHECK_OK(read_statement_result(deadline));
    return {};
}

result<std::vector<query_result>> connection::commit(
    const std::vector<ledger_sql::statement>& statements, instant deadline) {
    if (PQenterPipelineMode(raw_.get()) == 0) return connection_lost("entering pipeline mode");
    for (const auto& statement : statements) {
        CHECK_OK(send(statement));
    }
    CHECK_OK(send({.text = "COMMIT", .parameters = {}}));
    if (PQpipelineSync(raw_.get()) == 0) return connection_lost("sending");
    CHECK_OK(flush(deadline));
    auto results = read_commit_results(statements.size(), deadline);
    if (!broken_ && PQexitPipelineMode(raw_.get()) == 0)
        return connection_lost("leaving pipeline mode");
    return results;
}

result<std::vector<query_result>> connection::read_commit_results(
    std::size_t count, instant deadline) {
    std::vector<query_result> results;
    std::optional<error> failure;  // what is known stays known if the connection is lost after it
    for (std::size_t number = 0; number < count; ++number) {
        auto outcome = read_statement_result(deadline, meaning_before_commit);
        if (broken_) return fail(failure.value_or(outcome.error()));
        if (outcome) {
            results.push_back(*std::move(outcome));
        } else if (!failure) {
            failure = outcome.error();
        }
    }
    const auto committed = read_statement_result(deadline, meaning_of_commit);
    if (!committed && !failure) failure = committed.error();
    if (broken_) return fail(*failure);
    const auto sync = next_result(deadline);
    if (failure) return fail(*failure);
    if (!sync) return fail(sync.error());
    if (PQresultStatus(sync->raw()) != PGRES_PIPELINE_SYNC)
        return connection_lost("ending a pipeline");
    return results;
}

result<bool> connection::wait_for_notification(instant deadline) {
    CHECK_OK(wait_for_socket(POLLIN, deadline));
    if (PQconsumeInput(raw_.get()) == 0) return connection_lost("listening");
    bool notified = false;
    while (PGnotify* notification = PQnotifies(raw_.get())) {
        PQfreemem(notification);
        notified = true;
    }
    return notified;
}

std::string connection::server_version() const {
    const char* version = PQparameterStatus(raw_.get(), "server_version");
    return version == nullptr ? "" : version;
}

}  // namespace muster::ledger_postgres
