#pragma once

#include "core/table/row_reader.h"
#include "runtime/following/row_follower.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace muster::runtime {

// Follows one table of the ledger and passes its decoded rows to an owner: a page at a time, so
// that a cache can apply a page under one lock. row_follower.h describes unreadable rows, outages
// and threading. rows() gives access to its other methods.
template <class Row>
class table_follower {
public:
    using decoder = result<Row> (*)(const table::row&);
    // An error leaves the position before the page, and the page is read again.
    using page_handler = std::function<async<void>(std::vector<Row>)>;

    // `apply` takes a page of rows, and returns nothing or async<void>.
    template <std::invocable<std::vector<Row>> Apply>
    table_follower(
        row_follower::dependencies deps, row_follower::options options, decoder decode, Apply apply)
        : rows_(deps, std::move(options)), decode_(decode), apply_(to_handler(std::move(apply))) {}

    // Refreshes and waits until it is cancelled.
    boost::asio::awaitable<void> run() {
        return run([this] { return refresh(); });
    }
    // The same with a refresh of the owner's.
    boost::asio::awaitable<void> run(row_follower::step refresh) {
        return run(std::move(refresh), [this] { return rows_.wait(); });
    }
    boost::asio::awaitable<void> run(row_follower::step refresh, row_follower::step wait) {
        return rows_.run(std::move(refresh), std::move(wait));
    }

    // Reads all new rows.
    async<void> refresh() {
        return rows_.refresh([this](row_follower::page page) { return apply_(decode(page)); });
    }

    // Reads the whole table for `apply` and leaves the position alone; returns the sequence read
    // up to. An owner that replaces its cache by these rows passes it to rows().restart_at().
    template <std::invocable<std::vector<Row>> Apply>
    async<std::int64_t> read_all(Apply apply) {
        return rows_.read_all([this, handler = to_handler(std::move(apply))](
                                  row_follower::page page) { return handler(decode(page)); });
    }

    // Decodes a page that the owner has read itself. Unreadable rows are counted and logged.
    std::vector<Row> decode(const row_follower::page& page) {
        std::vector<Row> rows;
        rows.reserve(page.size());
        for (const auto& row : page) {
            auto decoded_row = decode_(row);
            if (decoded_row) {
                rows.push_back(*std::move(decoded_row));
            } else {
                ++decode_failures_;
                rows_.report_unreadable(
                    table::sequence_of(rows_.table(), row).value_or(0), decoded_row.error());
            }
        }
        return rows;
    }

    // Rows that could not be decoded, each time they were read. For owners that must know whether a
    // read of the whole table missed rows.
    std::uint64_t decode_failures() const { return decode_failures_; }

    row_follower& rows() { return rows_; }
    const row_follower& rows() const { return rows_; }

private:
    static async<void> done() { co_return result<void>(); }

    template <class Apply>
    static page_handler to_handler(Apply apply) {
        if constexpr (std::is_void_v<std::invoke_result_t<Apply&, std::vector<Row>>>) {
            return [apply = std::move(apply)](std::vector<Row> rows) mutable {
                apply(std::move(rows));
                return done();
            };
        } else {
            return apply;
        }
    }

    row_follower rows_;
    decoder decode_;
    page_handler apply_;
    std::uint64_t decode_failures_ = 0;
};

}  // namespace muster::runtime
