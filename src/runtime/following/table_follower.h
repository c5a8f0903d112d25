#pragma once

#include "core/table/row_reader.h"
#include "runtime/following/row_follower.h"

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace muster::runtime {

// Follows one table of the ledger and hands its rows, decoded, to an owner: a page at a time, so
// that a cache can apply a page under one lock. What happens to unreadable rows and in outages is
// said in row_follower.h; its other methods are reached through rows().
template <class Row>
class table_follower {
public:
    using decoder = result<Row> (*)(const table::row&);
    // An error leaves the position before the page, and the page is read again.
    using page_handler = std::function<async<void>(std::vector<Row>)>;

    // `apply` takes a page of rows, and returns nothing or async<void>.
    template <std::invocable<std::vector<Row>> Apply>
    table_follower(
        row_follower::dependencies needs,
        row_follower::options options,
        decoder decode,
        Apply apply)
        : rows_(needs, std::move(options)), decode_(decode), apply_(handler_of(std::move(apply))) {}

    // Refreshes and waits until it is cancelled.
    boost::asio::awaitable<void> run() {
        return run([this] { return refresh(); });
    }
    // The same for an owner that does more than that to be up to date.
    boost::asio::awaitable<void> run(row_follower::step refresh) {
        return run(std::move(refresh), [this] { return rows_.wait(); });
    }
    boost::asio::awaitable<void> run(row_follower::step refresh, row_follower::step wait) {
        return rows_.run(std::move(refresh), std::move(wait));
    }

    // Reads all that is new now.
    async<void> refresh() {
        return rows_.refresh([this](row_follower::page read) { return apply_(decode(read)); });
    }

    // Reads the whole table for `apply` and leaves the position alone; returns the sequence read
    // up to. An owner that replaces its cache by what was read passes it to rows().restart_at().
    template <std::invocable<std::vector<Row>> Apply>
    async<std::int64_t> read_all(Apply apply) {
        return rows_.read_all([this, all = handler_of(std::move(apply))](row_follower::page read) {
            return all(decode(read));
        });
    }

    // The rows that can be read; the others are counted and logged. For pages that the owner reads
    // itself.
    std::vector<Row> decode(const row_follower::page& read) {
        std::vector<Row> decoded;
        decoded.reserve(read.size());
        for (const auto& each : read) {
            auto one = decode_(each);
            if (one) {
                decoded.push_back(*std::move(one));
            } else {
                rows_.report_unreadable(
                    table::sequence_of(rows_.table(), each).value_or(0), one.error());
            }
        }
        return decoded;
    }

    row_follower& rows() { return rows_; }
    const row_follower& rows() const { return rows_; }

private:
    static async<void> applied() { co_return result<void>(); }

    template <class Apply>
    static page_handler handler_of(Apply apply) {
        if constexpr (std::is_void_v<std::invoke_result_t<Apply&, std::vector<Row>>>) {
            return [apply = std::move(apply)](std::vector<Row> rows) mutable {
                apply(std::move(rows));
                return applied();
            };
        } else {
            return apply;
        }
    }

    row_follower rows_;
    decoder decode_;
    page_handler apply_;
};

}  // namespace muster::runtime
