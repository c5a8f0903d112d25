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

// Replaces characters that XML 1.0 cannot represent, so that the rest of the response is usable.
void append_text(std::string& output, std::string_view text) {
    const bool only_ascii = !table::is_utf8_without_nul(text);
    for (const char c : text) {
        switch (c) {
            case '<':
                output += "&lt;";
                break;
            case '>':
                output += "&gt;";
                break;
            case '&':
                output += "&amp;";
                break;
            case '\r':
                output += "&#13;";
                break;
            case '\t':
            case '\n':
                output += c;
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20
                    || (only_ascii && static_cast<unsigned char>(c) >= 0x80)) {
                    output += '?';
                } else {
                    output += c;
                }
        }
    }
}

void append_value(std::string& output, const value& content);

struct writer {
    std::string& output;

    void operator()(value::nothing) const { output += "<nil/>"; }
    void operator()(bool flag) const {
        output += flag ? "<boolean>1</boolean>" : "<boolean>0</boolean>";
    }
    void operator()(std::int64_t number) const {
        const bool small = number >= std::numeric_limits<std::int32_t>::min()
                           && number <= std::numeric_limits<std::int32_t>::max();
        const std::string_view type = small ? "i4" : "i8";
        fmt::format_to(std::back_inserter(output), "<{0}>{1}</{0}>", type, number);
    }
    void operator()(double number) const {
        fmt::format_to(std::back_inserter(output), "<double>{}</double>", number);
    }
    void operator()(const std::string& text) const {
        output += "<string>";
        append_text(output, text);
        output += "</string>";
    }
    void operator()(wall_time time) const {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
        fmt::format_to(
            std::back_inserter(output),
            "<dateTime.iso8601>{:%Y%m%dT%H:%M:%S}</dateTime.iso8601>",
            fmt::gmtime(seconds.time_since_epoch().count()));
    }
    void operator()(const value::bytes& content) const {
        output += "<base64>" + pki::to_base64(content.content) + "</base64>";
    }
    void operator()(const value::list& items) const {
        output += "<array><data>";
        for (const auto& item : items) {
            if (!item.is_nothing()) append_value(output, item);
        }
        output += "</data></array>";
    }
    void operator()(const value::record& members) const {
        output += "<struct>";
        for (const auto& member : members) {
            if (member.of.is_nothing()) continue;
            output += "<member><name>";
            append_text(output, member.name);
            output += "</name>";
            append_value(output, member.of);
            output += "</member>";
        }
        output += "</struct>";
    }
};

void append_value(std::string& output, const value& content) {
    output += "<value>";
    content.visit(writer{output});
    output += "</value>";
}

}  // namespace

std::string response(const value& content) {
    std::string text(opening);
    text += "<params><param>";
    append_value(text, content);
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

void append_item(std::string& output, const value& item) {
    if (!item.is_nothing()) append_value(output, item);
}

std::string list_closing() {
    return "</data></array></value></param></params></methodResponse>\n";
}

}  // namespace muster::xmlrpc
