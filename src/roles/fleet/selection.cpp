#include "roles/fleet/selection.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>

namespace muster::fleet {
namespace {

constexpr std::size_t looked_at_once = 500;  // between two chances for others to run
constexpr std::size_t looked_at_max = 200'000;

const whereabouts_source nowhere;

bool meets(const selection& what, const system_record& system) {
    if (!what.wanted) return true;
    return what.wanted->matches(system_subject(system, what.where ? *what.where : nowhere));
}

boost::asio::awaitable<void> let_others_run() {
    const auto executor = co_await boost::asio::this_coro::executor;
    co_await boost::asio::post(executor, boost::asio::use_awaitable);
}

// Records are copied under the lock and looked at outside of it.
std::optional<fingerprint> copy_some(
    const fleet& among,
    const selection& what,
    const std::optional<fingerprint>& after,
    std::vector<system_record>& into) {
    return among.visit(
        after, looked_at_once, [&](const fingerprint& print, const packed_record& each) {
            if (what.stages.empty() || what.stages.contains(each.stage()))
                into.push_back(each.unpack(print));
        });
}

}  // namespace

async<selected_page> select_page(
    const fleet& among, selection what, std::optional<fingerprint> after, std::size_t count) {
    selected_page page;
    std::size_t looked_at = 0;
    while (looked_at < looked_at_max) {
        std::vector<system_record> some;
        after = copy_some(among, what, after, some);
        for (auto& each : some) {
            if (!meets(what, each)) continue;
            page.systems.push_back(std::move(each));
            if (page.systems.size() < count) continue;
            page.next = page.systems.back().print;
            co_return page;
        }
        if (!after) co_return page;
        looked_at += looked_at_once;
        co_await let_others_run();
    }
    page.next = after;
    co_return page;
}

async<std::vector<fingerprint>> select_all(
    const fleet& among, selection what, std::size_t count_max) {
    std::vector<fingerprint> all;
    std::optional<fingerprint> after;
    do {
        std::vector<system_record> some;
        after = copy_some(among, what, after, some);
        for (const auto& each : some)
            if (meets(what, each)) all.push_back(each.print);
        if (all.size() > count_max)
            co_return fail(
                errc::invalid,
                "the query means more than " + std::to_string(count_max) + " systems");
        co_await let_others_run();
    } while (after);
    co_return all;
}

}  // namespace muster::fleet
