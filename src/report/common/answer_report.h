/* answer_report.h - the short form of a prediction: warpline/report.h, wl_answer.
 * SPDX-License-Identifier: MIT */
#ifndef WL_REPORT_COMMON_ANSWER_REPORT_H
#define WL_REPORT_COMMON_ANSWER_REPORT_H

#include "report/common/prediction_report.h"

wl_text_writer wl_answer_text; /* wl_answer */

#endif /* WL_REPORT_COMMON_ANSWER_REPORT_H */
