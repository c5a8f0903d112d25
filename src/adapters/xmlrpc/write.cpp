#include "adapters/pki/base64.h"
#include "adapters/xmlrpc/codec.h"
#include "core/table/utf8.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <limits>

namespace muster::xmlrpc {
namespace {

using api::value;

constexpr std::string_view opening = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<methodResponse>";

// What XML 1.0 cannot hold is replaced, so that one bad byte of an output does not spoil an answer.
void append_text(std::string& to, std::string_view text) {
    const bool only_ascii = !table::is_utf8_without_nul(text);
    for (const char c : text) {
        switch (c) {
            case '<':
                to += "&lt;";
                break;
            case '>':
                to += "&gt;";
                break;
            case '&':
                to += "&amp;";
                break;
            case '\r':
                to += "&#13;";
                break;
            case '\t':
            case '\n':
                to += c;
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20
                    || (only_ascii && static_cast<unsigned char>(c) >= 0x80)) {
                    to += '?';
                } else {
                    to += c;
                }
        }
    }
}

void append_value(std::string& to, const value& what);

struct writer {
    std::string& to;

    void operator()(value::nothing) const { to += "<nil/>"; }
    void operator()(bool flag) const {
        to += flag ? "<boolean>1</boolean>" : "<boolean>0</boolean>";
    }
    void operator()(std::int64_t number) const {
        const bool small = number >= std::numeric_limits<std::int32_t>::min()
                           && number <= std::numeric_limits<std::int32_t>::max();
        const std::string_view type = small ? "i4" : "i8";
        fmt::format_to(std::back_inserter(to), "<{0}>{1}</{0}>", type, number);
    }
    void operator()(double number) const {
        fmt::format_to(std::back_inserter(to), "<double>{}</double>", number);
    }
    void operator()(const std::string& text) const {
        to += "<string>";
        append_text(to, text);
        to += "</string>";
    }
    void operator()(wall_time when) const {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(when);
        fmt::format_to(
            std::back_inserter(to),
            "<dateTime.iso8601>{:%Y%m%dT%H:%M:%S}</dateTime.iso8601>",
            fmt::gmtime(seconds.time_since_epoch().count()));
    }
    void operator()(const value::bytes& content) const {
        to += "<base64>" + pki::to_base64(content.content) + "</base64>";
    }
    void operator()(const value::list& items) const {
        to += "<array><data>";
        for (const auto& item : items) {
            if (!item.is_nothing()) append_value(to, item);
        }
        to += "</data></array>";
    }
    void operator()(const value::record& members) const {
        to += "<struct>";
        for (const auto& member : members) {
            if (member.of.is_nothing()) continue;
            to += "<member><name>";
            append_text(to, member.name);
            to += "</name>";
            append_value(to, member.of);
            to += "</member>";
        }
        to += "</struct>";
    }
};

void append_value(std::string& to, const value& what) {
    to += "<value>";
    what.visit(writer{to});
    to += "</value>";
}

}  // namespace

std::string response(const value& what) {
    std::string text(opening);
    text += "<params><param>";
    append_value(text, what);
    text += "</param></params></methodResponse>\n";
    return text;
}

std::string fault(std::int64_t code, std::string_view text) {
    std::string result(opening);
    result += "<fault>";
    append_value(result, value::record{{"faultCode", code}, {"faultString", std::string(text)}});
    result += "</fault></methodResponse>\n";
    return result;
}

std::string list_opening() {
    return std::string(opening) + "<params><param><value><array><data>";
}

void append_item(std::string& to, const value& item) {
    if (!item.is_nothing()) append_value(to, item);
}

std::string list_closing() {
    return "</data></array></value></param></params></methodResponse>\n";
}

}  // namespace muster::xmlrpc
