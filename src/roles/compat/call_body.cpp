#include "roles/compat/call_body.h"

#include <fmt/format.h>

#include <utility>

namespace muster::compat {
namespace {

constexpr std::size_t key_bytes_max = 512;
constexpr std::string_view blanks = " \t\r\n";

std::string_view behind(std::string_view text, std::string_view mark) {
    const auto at = text.find(mark);
    return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

std::string_view without_blanks(std::string_view text) {
    const auto from = text.find_first_not_of(blanks);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

}  // namespace

std::string key_at_beginning(std::string_view call) {
    auto rest = behind(behind(call, "<param>"), "<value>");
    const auto typed = rest.find_first_not_of(blanks);
    constexpr std::string_view text_mark = "<string>";
    if (typed != std::string_view::npos && rest.substr(typed).starts_with(text_mark))
        rest = rest.substr(typed + text_mark.size());
    const auto end = rest.find('<');
    if (end == std::string_view::npos || end > key_bytes_max) return {};
    return std::string(without_blanks(rest.substr(0, end)));
}

async<std::string> read_call(net::http::request* asked, caller_finder caller) {
    std::string whole;
    bool known = false;
    while (true) {
        CO_TRY(const auto piece, co_await asked->next_body_piece());
        if (piece.empty()) co_return whole;
        whole += piece;
        if (known || whole.size() <= strangers_bytes_max) continue;
        const auto who = co_await caller(whole);
        if (!who && who.error().code() == errc::denied)
            co_return fail(
                errc::denied,
                fmt::format(
                    "{}; a call of more than {} KiB needs a session",
                    who.error().detail(),
                    strangers_bytes_max / 1024));
        CO_CHECK_OK(who);
        known = true;
    }
}

}  // namespace muster::compat
