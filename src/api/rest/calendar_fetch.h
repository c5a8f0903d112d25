#pragma once

#include "ports/async.h"
#include "ports/clock.h"

#include <filesystem>
#include <string>

namespace muster::api {

struct calendar_source {
    std::string url;
    std::filesystem::path authorities;  // PEM
};

// The text behind an https address: at most 1 MiB, within 30 seconds, without following redirects.
// errc::invalid for an address that cannot be asked, errc::unavailable, with the reason, when it
// does not answer with a text.
async<std::string> fetch_calendar(clock& time, calendar_source from);

}  // namespace muster::api
