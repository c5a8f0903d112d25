#pragma once

#include "services/fleet/enrolment_service.h"

#include <string_view>

namespace muster::api {

// Reads what a system sends to be enrolled (docs/onboarding.md). Hostile input: errc::invalid with
// the member that is wrong. Keys and tokens are turned into their digests at once. The caller adds
// what the connection proves.
result<fleet::enrolment_service::application> read_enrol_request(
    std::string_view body, wall_time now, const fingerprint& print);

// How activation keys and one-time tokens are kept.
std::string secret_digest(std::string_view secret);

}  // namespace muster::api
