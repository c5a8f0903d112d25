// precompiled_api.h and what most methods of the compatible API are made of.
#include "precompiled_api.h"
#include "roles/compat/action_desk.h"
#include "roles/compat/content_view.h"
#include "roles/compat/fleet_view.h"
#include "roles/compat/method_book.h"
#include "roles/config/config_office.h"
