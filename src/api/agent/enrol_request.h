#pragma once

#include "services/fleet/enrolment_service.h"

#include <string_view>

namespace muster::api {

// Parses an enrolment request (docs/concepts/onboarding.md). The input is untrusted: errc::invalid
// names the wrong member. Keys and tokens are replaced by their digests. The caller adds the proven
// key.
result<fleet::enrolment_service::enrolment_input> read_enrol_request(
    std::string_view body, wall_time now, const fingerprint& print);

// The stored form of activation keys and one-time tokens.
std::string secret_digest(std::string_view secret);

}  // namespace muster::api
