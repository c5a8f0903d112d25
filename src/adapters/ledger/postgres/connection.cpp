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
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - runtime::monotonic_now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

// What each of so many may take, so that the last has its part as well.
instant share_of(instant deadline, std::size_t count) {
    const auto now = runtime::monotonic_now();
    return now + (deadline - now) / static_cast<std::int64_t>(count);
}

bool is_failure(const answer& answer) {
    const auto status = PQresultStatus(answer.raw());
    return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE;
}

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

}  // namespace

void connection::finish::operator()(pg_conn* raw) const {
    PQfinish(raw);
}

std::unexpected<error> connection::lost(const std::string& text) {
    broken_ = true;
    return fail(errc::timed_out, text + ": " + trimmed(PQerrorMessage(raw_.get())));
}

std::unexpected<error> connection::refused(const answer& answer, sqlstate_meaning meaning) {
    constexpr std::string_view read_only_transaction = "25006";
    const char* state = PQresultErrorField(answer.raw(), PG_DIAG_SQLSTATE);
    if (state != nullptr && state == read_only_transaction) broken_ = true;
    return fail(failure_of(answer, meaning));
}

std::unexpected<error> connection::give_up(const std::string& why) {
    broken_ = true;
    return fail(errc::timed_out, why);
}

result<bool> connection::ready(short events, instant deadline) {
    std::array<pollfd, 2> sources{};
    sources[0].fd = PQsocket(raw_.get());
    sources[0].events = events;
    sources[1].fd = wake_;
    sources[1].events = POLLIN;
    const int match = ::poll(sources.data(), sources.size(), milliseconds_until(deadline));
    if (match > 0 && sources[1].revents != 0) return give_up("the ledger is closing");
    return match > 0;
}

result<void> connection::wait(wanted what, instant deadline) {
    const short events = what == wanted::read ? POLLIN : POLLIN | POLLOUT;
    while (true) {
        const bool observed = company_.observer != nullptr;
        const instant look = observed ? runtime::monotonic_now() + company_.every : deadline;
        TRY(const bool answered, ready(events, std::min(look, deadline)));
        if (answered) return {};
        const instant now = runtime::monotonic_now();
        if (now >= deadline) return give_up("PostgreSQL did not answer in time");
        if (now < look) return {};  // a signal: look again
        if (auto fine = company_.observer->look(); !fine) return give_up(fine.error().detail());
    }
}

result<connection> connection::start(const settings& settings, const place& where, int wake) {
    TRY(const connect_parameters parameters, connect_parameters::of(settings, where));
    pg_conn* raw = PQconnectStartParams(parameters.names(), parameters.values(), 1);
    if (raw == nullptr) return fail(errc::unavailable, "no memory for a connection");
    return connection(raw, wake);
}

result<connection> connection::open(const settings& settings, limits until) {
    TRY(const auto places, places_of(settings.address));
    const auto first = settings.last_good_place->load();
    std::string reasons;
    for (std::size_t tried = 0; tried < places.size(); ++tried) {
        const auto at = (first + tried) % places.size();
        auto result = open_at(
            settings,
            places[at],
            {.deadline = share_of(until.deadline, places.size() - tried), .wake = until.wake});
        if (result) {
            settings.last_good_place->store(at);
            return result;
        }
        const auto reason = trimmed(result.error().detail());
        if (!reasons.contains(reason)) reasons += (reasons.empty() ? "" : "; ") + reason;
    }
    return fail(errc::unavailable, "cannot connect to PostgreSQL: " + reasons);
}

result<connection> connection::open_at(const settings& settings, const place& where, limits until) {
    TRY(connection result, start(settings, where, until.wake));
    CHECK_OK(result.connect(until.deadline));
    PQsetnonblocking(result.raw_.get(), 1);
    PQsetNoticeProcessor(result.raw_.get(), [](void*, const char*) {}, nullptr);
    return result;
}

bool connection::server_answers(const settings& settings, limits until) const {
    const auto text = [](const char* response) {
        return std::string(response == nullptr ? "" : response);
    };
    auto result = start(
        settings,
        {.host = text(PQhost(raw_.get())),
         .address = text(PQhostaddr(raw_.get())),
         .port = text(PQport(raw_.get()))},
        until.wake);
    if (!result) return true;  // says nothing of the server
    const auto done = result->connect(until.deadline);
    return done || done.error().code() != errc::timed_out;
}

// errc::timed_out: no answer; unavailable: a bad one.
result<void> connection::connect(instant deadline) {
    auto turn =
        PQstatus(raw_.get()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    while (turn != PGRES_POLLING_OK) {
        if (turn == PGRES_POLLING_FAILED)
            return fail(
                errc::unavailable, "connecting: " + std::string(PQerrorMessage(raw_.get())));
        TRY(const bool answered, ready(turn == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline));
        if (answered) {
            turn = PQconnectPoll(raw_.get());
        } else if (runtime::monotonic_now() >= deadline) {
            return lost("no answer in time");
        }
    }
    return {};
}

result<void> connection::flush(instant deadline) {
    while (true) {
        const int left = PQflush(raw_.get());
        if (left < 0) return lost("sending");
        if (left == 0) return {};
        CHECK_OK(wait(wanted::read_and_write, deadline));
        if (PQconsumeInput(raw_.get()) == 0) return lost("reading");
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
    if (sent == 0) return lost("sending");
    return {};
}

result<answer> connection::next(instant deadline) {
    while (PQisBusy(raw_.get()) != 0) {
        CHECK_OK(flush(deadline));
        CHECK_OK(wait(wanted::read, deadline));
        if (PQconsumeInput(raw_.get()) == 0) return lost("reading");
    }
    return answer(PQgetResult(raw_.get()));
}

result<answer> connection::last_of_statement(instant deadline, sqlstate_meaning meaning) {
    std::optional<answer> stored;
    while (true) {
        TRY(answer message, next(deadline));
        if (message.raw() == nullptr) break;
        if (PQstatus(raw_.get()) == CONNECTION_BAD) return lost("reading");
        if (!stored || !is_failure(*stored)) stored.emplace(std::move(message));
    }
    if (!stored) return lost("no answer");
    if (is_failure(*stored)) return refused(*stored, meaning);
    return *std::move(stored);
}

result<void> connection::drain(instant deadline) {
    while (true) {
        TRY(const answer answer, next(deadline));
        if (answer.raw() == nullptr) return {};
        if (PQstatus(raw_.get()) == CONNECTION_BAD) return lost("reading");
    }
}

result<void> connection::run(const std::string& text, instant deadline) {
    if (PQsendQuery(raw_.get(), text.c_str()) == 0) return lost("sending");
    CHECK_OK(flush(deadline));
    CHECK_OK(last_of_statement(deadline));
    return {};
}

result<answer> connection::execute(const ledger_sql::statement& statement, instant deadline) {
    CHECK_OK(send(statement));
    CHECK_OK(flush(deadline));
    return last_of_statement(deadline);
}

result<void> connection::execute_by_row(
    const ledger_sql::statement& statement, row_taker take, instant deadline) {
    CHECK_OK(send(statement));
    PQsetSingleRowMode(raw_.get());
    CHECK_OK(flush(deadline));
    std::optional<error> failure;
    while (true) {
        TRY(answer answer, next(deadline));
        if (answer.raw() == nullptr) break;
        if (PQstatus(raw_.get()) == CONNECTION_BAD) return lost("reading");
        if (failure) continue;
        if (is_failure(answer)) {
            failure = refused(answer).error();
        } else if (answer.rows() > 0) {
            if (auto reserved = take(answer); !reserved) failure = reserved.error();
        }
    }
    if (failure) return fail(*failure);
    return {};
}

result<void> connection::send_copy(piece_maker next, instant deadline) {
    std::string piece;
    while (true) {
        piece.clear();
        next(piece);
        if (piece.empty()) break;
        while (true) {
            const int reserved =
                PQputCopyData(raw_.get(), piece.data(), static_cast<int>(piece.size()));
            if (reserved < 0) return lost("sending");
            if (reserved > 0) break;
            CHECK_OK(flush(deadline));
        }
        CHECK_OK(flush(deadline));
    }
    if (PQputCopyEnd(raw_.get(), nullptr) < 0) return lost("sending");
    return flush(deadline);
}

result<void> connection::copy_in(
    const std::string& text, std::string_view content, instant deadline) {
    constexpr std::size_t piece_bytes = 256 * std::size_t{1024};
    const auto next = [&](std::string& into) {
        into.append(content.substr(0, piece_bytes));
        content.remove_prefix(std::min(piece_bytes, content.size()));
    };
    return copy_in(text, next, deadline);
}

result<void> connection::copy_in(
    const std::string& text, piece_maker next_piece, instant deadline) {
    if (PQsendQuery(raw_.get(), text.c_str()) == 0) return lost("sending");
    CHECK_OK(flush(deadline));
    while (true) {  // the statements in front of COPY answer first
        TRY(answer answer, next(deadline));
        if (answer.raw() == nullptr) return fail(errc::invalid, "not a COPY: " + text);
        if (PQresultStatus(answer.raw()) == PGRES_COPY_IN) break;
        if (!is_failure(answer)) continue;
        CHECK_OK(drain(deadline));
        return refused(answer);
    }
    CHECK_OK(send_copy(next_piece, deadline));
    CHECK_OK(last_of_statement(deadline));
    return {};
}

result<std::vector<answer>> connection::commit(
    const std::vector<ledger_sql::statement>& all, instant deadline) {
    if (PQenterPipelineMode(raw_.get()) == 0) return lost("entering pipeline mode");
    for (const auto& each : all) {
        CHECK_OK(send(each));
    }
    CHECK_OK(send({.text = "COMMIT", .parameters = {}}));
    if (PQpipelineSync(raw_.get()) == 0) return lost("sending");
    CHECK_OK(flush(deadline));
    auto answers = collect(all.size(), deadline);
    if (!broken_ && PQexitPipelineMode(raw_.get()) == 0) return lost("leaving pipeline mode");
    return answers;
}

result<std::vector<answer>> connection::collect(std::size_t count, instant deadline) {
    std::vector<answer> answers;
    std::optional<error> refusal;  // what is known stays known if the connection is lost after it
    for (std::size_t number = 0; number < count; ++number) {
        auto message = last_of_statement(deadline, meaning_before_commit);
        if (broken_) return fail(refusal.value_or(message.error()));
        if (message) {
            answers.push_back(*std::move(message));
        } else if (!refusal) {
            refusal = message.error();
        }
    }
    const auto committed = last_of_statement(deadline, meaning_of_commit);
    if (!committed && !refusal) refusal = committed.error();
    if (broken_) return fail(*refusal);
    const auto sync = next(deadline);
    if (refusal) return fail(*refusal);
    if (!sync) return fail(sync.error());
    if (PQresultStatus(sync->raw()) != PGRES_PIPELINE_SYNC) return lost("the end of a pipeline");
    return answers;
}

result<bool> connection::wait_for_notification(instant deadline) {
    CHECK_OK(ready(POLLIN, deadline));
    if (PQconsumeInput(raw_.get()) == 0) return lost("listening");
    bool notified = false;
    while (PGnotify* p_gnotify = PQnotifies(raw_.get())) {
        PQfreemem(p_gnotify);
        notified = true;
    }
    return notified;
}

std::string connection::server_version() const {
    const char* version = PQparameterStatus(raw_.get(), "server_version");
    return version == nullptr ? "" : version;
}

}  // namespace muster::ledger_postgres
