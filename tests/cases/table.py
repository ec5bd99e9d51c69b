"""The catalogue of faults: what went wrong in tools of this kind, and which tests hold that it does not here.

Each line is a kind of fault. Its tests are named as pytest names them, ``file::function`` below ``tests/``; they have
inputs of this project's own. A note says where the right value here is another one than elsewhere, or why a part of
the kind cannot come up.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """One kind of fault with the tests that would fail if it were here."""

    number: str
    kind: str
    tests: tuple[str, ...]
    note: str = ""


TEXTS = "cases/test_case_texts.py::"
RUNS = "cases/test_case_runs.py::"
INPUTS = "test_dedup_inputs.py::"
LAKES = "test_dedup_lakes.py::"
REFUSED = "test_dedup_refusals.py::"
READING = "runtime/test_inputs.py::"
VALUES = "kernel/test_values.py::"
STORE = "store/test_store_run.py::"

BITS = TEXTS + "test_a_text_has_the_tokens_and_the_bits_of_the_catalogue"
FOLDED = "Width and case are folded before segmentation, so the right value is that of the folded text."
KEPT = "Punctuation is a blank by default; both with it and without it are in tests/cases/texts.py."

CASES = (
    Case(
        "A01",
        "a count or weight that does not fit a small integer",
        (
            TEXTS + "test_a_feature_that_outweighs_the_rest_decides_every_bit",
            TEXTS + "test_a_text_of_one_word_has_the_bits_of_that_word_however_long_it_is",
            VALUES + "test_weights_beyond_64_bits_stay_exact",
            "kernel/test_features.py::test_a_token_a_million_times_is_counted_exactly",
        ),
    ),
    Case(
        "A02",
        "64 unsigned bits in a signed column",
        (
            TEXTS + "test_64_bits_survive_as_a_signed_column",
            TEXTS + "test_executors_give_the_bits_of_the_catalogue_as_signed_numbers_and_so_does_a_file",
            "kernel/test_fingerprint.py::test_fingerprints_as_signed_numbers_keep_every_bit",
        ),
    ),
    Case(
        "A03",
        "distance where one side is negative",
        (
            VALUES + "test_the_distance_of_signed_values",
            "kernel/test_bits.py::test_distance_is_right_when_one_side_is_negative",
            "test_udf.py::test_hamming_distance_is_right_for_both_signs_and_narrow_types",
            "test_pipeline.py::test_known_fingerprints_give_known_groups",
        ),
    ),
    Case(
        "A05",
        "a vote of exactly half",
        (
            TEXTS + "test_two_equal_votes_leave_what_both_have",
            VALUES + "test_a_tie_gives_0",
            "parity/test_pypi_parity.py::test_fractional_weights_that_floats_add_exactly",
        ),
    ),
    Case(
        "A07",
        "bits that depend on an order of adding",
        (
            TEXTS + "test_no_order_of_features_or_documents_changes_a_bit",
            VALUES + "test_decimal_weights_are_added_exactly_in_any_order",
            "kernel/test_features.py::test_sums_and_norms_do_not_depend_on_the_order_of_features",
            "kernel/test_word_order.py::test_turned_words_are_equal_as_a_bag_and_differ_as_pairs",
        ),
        "Weights are added in millionths, as whole numbers. N-grams of tokens do depend on the order of the words.",
    ),
    Case(
        "A09",
        "negative weights",
        (
            TEXTS + "test_no_fitted_weight_is_negative",
            VALUES + "test_a_negative_weight_is_refused",
            "kernel/test_features.py::test_an_idf_that_is_negative_or_endless_is_refused",
            "kernel/test_features.py::test_fitted_idf_is_the_smoothed_form_of_scikit_learn",
        ),
    ),
    Case(
        "B01",
        "whole numbers that pass through floats",
        (
            INPUTS + "test_every_row_is_written_once_with_its_id_to_the_last_digit",
            INPUTS + "test_rows_that_are_set_aside_are_written_whole_with_the_reason",
            "test_udf.py::test_ids_pass_a_batch_of_fingerprints_to_the_bit",
            "stages/test_groups.py::test_ids_at_the_ends_of_their_range_are_carried",
            "kernel/test_bits.py::test_floats_are_refused_because_they_have_lost_bits",
        ),
    ),
    Case(
        "B03",
        "a text that is missing, or is no text",
        (
            INPUTS + "test_the_counts_name_every_row",
            INPUTS + "test_bad_rows_stop_the_run_with_their_number",
            REFUSED + "test_a_wrong_call_is_one_line_and_exit_code_2_before_anything_is_written",
            "kernel/test_normalize.py::test_anything_but_strings_is_refused_by_its_type",
            "test_functions.py::test_simhash_is_null_without_text_and_else_that_of_the_tokens",
        ),
        "The plain function does not take a number for a ready fingerprint.",
    ),
    Case(
        "C01",
        "texts without a word",
        (
            TEXTS + "test_texts_of_no_word_have_no_fingerprint_or_one_of_their_own",
            INPUTS + "test_only_equal_texts_are_grouped_where_there_is_no_word",
            "stages/test_fingerprints.py::test_texts_without_features_have_no_fingerprint",
            "index/test_fingerprint_index.py::test_a_text_without_features_is_neither_added_nor_found",
        ),
        "They have no fingerprint; equal ones are one group of equal text (decision 0005).",
    ),
    Case(
        "C02",
        "texts shorter than the window",
        (
            TEXTS + "test_texts_shorter_than_the_window_are_one_feature_each",
            VALUES + "test_a_text_shorter_than_the_window_is_one_run",
            "kernel/test_fingerprint.py::test_texts_shorter_than_the_ngram_stay_apart",
            "kernel/test_similarity.py::test_a_text_that_is_shorter_than_the_ngram_is_like_its_equal_alone",
        ),
    ),
    Case(
        "C03",
        "tokens of Latin letters alone",
        (
            BITS,
            TEXTS + "test_pairs_of_the_catalogue_are_as_far_apart_as_their_tokens_say",
            "parity/test_jieba_parity.py::test_both_engines_give_the_same_tokens_in_all_modes",
        ),
    ),
    Case(
        "C05",
        "repeated words, other length",
        (
            TEXTS + "test_pairs_of_the_catalogue_are_as_far_apart_as_their_tokens_say",
            VALUES + "test_a_long_run_of_zeros_with_one_1_has_the_value_of_zeros",
            "test_verification.py::test_equal_fingerprints_of_different_texts_are_told_apart",
        ),
        "Distance 0 is the method's answer; --verify tells such texts apart.",
    ),
    Case(
        "C06",
        "short texts that differ in one word",
        (
            TEXTS + "test_pairs_of_the_catalogue_are_as_far_apart_as_their_tokens_say",
            INPUTS + "test_few_features_mean_equal_text_or_nothing",
        ),
        "docs/short-texts.md says what to expect; min_features counts them in the report. " + KEPT,
    ),
    Case(
        "D01",
        "full and half width",
        (BITS, "kernel/test_normalize.py::test_texts_that_look_the_same_are_the_same"),
        FOLDED + " Without folding, the tokens differ and so do the bits: that is no option here.",
    ),
    Case(
        "D03",
        "blanks as tokens",
        (
            BITS,
            "kernel/test_tokenize.py::test_a_blank_text_has_no_feature",
            "kernel/test_features.py::test_a_single_space_is_no_feature",
            "kernel/test_tokenize.py::test_rjieba_gives_the_tokens_of_jieba_on_any_text",
        ),
    ),
    Case(
        "D04",
        "another engine, other tokens",
        (
            BITS,
            "kernel/test_tokenize.py::test_both_engines_agree_whatever_the_user_dictionary",
            "kernel/test_recipe.py::test_another_version_of_the_engine_is_another_recipe",
            STORE + "test_another_specification_is_refused_with_every_key_that_differs",
        ),
        KEPT + " A dot between letters of an address is a token of its own with both engines.",
    ),
    Case(
        "D05",
        "rare characters",
        (
            BITS,
            "kernel/test_resources.py::test_a_line_that_would_be_useless_is_refused_with_its_number_and_reason",
            "kernel/test_tokenize.py::test_character_ngrams_are_the_substrings_of_the_text_without_blanks",
        ),
    ),
    Case(
        "D06",
        "capital letters",
        (
            BITS,
            "kernel/test_tokenize.py::test_dictionary_words_are_found_whatever_their_case",
            "kernel/test_tokenize.py::test_lists_are_read_in_the_form_of_the_text",
        ),
        FOLDED,
    ),
    Case(
        "D07",
        "symbols in the middle of a sentence",
        (BITS, TEXTS + "test_by_default_punctuation_and_symbols_are_blanks"),
        "By default a symbol is a blank; the words behind it stay either way.",
    ),
    Case(
        "E01",
        "a user dictionary that only the driver knows",
        (
            TEXTS + "test_a_user_dictionary_reaches_the_executors",
            "kernel/test_recipe.py::test_a_recipe_survives_the_closure_it_travels_in",
            "runtime/test_recipes.py::test_a_file_that_cannot_be_read_is_refused",
            "cluster/test_standalone.py::test_tf_idf_and_a_user_dictionary_give_the_same_fingerprints_as_local_mode",
        ),
    ),
    Case(
        "E02",
        "lines of a user dictionary without effect",
        (
            "kernel/test_resources.py::test_a_line_that_would_be_useless_is_refused_with_its_number_and_reason",
            "kernel/test_resources.py::test_a_user_dictionary_is_read_as_jieba_reads_it",
            "kernel/test_resources.py::test_dictionary_lines_change_the_tokens",
            "runtime/test_recipes.py::test_malformed_lines_are_named_with_their_numbers",
            "runtime/test_recipes.py::test_a_word_that_loses_its_punctuation_is_named",
        ),
        "Frequency 0 takes a word out on purpose, and only then; every other idle line is refused.",
    ),
    Case(
        "E05",
        "a cache file of somebody else",
        (
            "kernel/test_jieba_cache.py::test_the_tokens_are_right_whatever_lies_in_the_temporary_directory",
            "kernel/test_jieba_cache.py::test_processes_that_start_at_once_do_not_meet",
            "kernel/test_tokenize.py::test_jieba_writes_no_cache_file_and_no_log_line",
        ),
        "The dictionary is read from the package, once a process; there is no cache file.",
    ),
    Case(
        "E07",
        "long runs without a break",
        (
            "kernel/test_tokenize.py::test_a_million_characters_without_a_break_take_less_than_two_seconds",
            "kernel/test_tokenize.py::test_both_engines_cut_long_runs_alike",
            INPUTS + "test_texts_of_half_a_megabyte_and_endless_runs_get_through",
        ),
    ),
    Case(
        "F01",
        "too few bands for the distance",
        (
            "test_pipeline.py::test_known_fingerprints_give_known_groups",
            "kernel/test_band_join.py::test_bands_are_never_too_few_for_the_distance",
            "kernel/test_bands.py::test_settings_that_would_miss_pairs_or_cost_too_much_are_refused",
            REFUSED + "test_a_wrong_call_is_one_line_and_exit_code_2_before_anything_is_written",
        ),
    ),
    Case(
        "F04",
        "bits counted on narrow columns",
        ("test_udf.py::test_hamming_distance_is_right_for_both_signs_and_narrow_types",),
    ),
    Case(
        "F06",
        "a pair twice, or with itself",
        (
            "kernel/test_band_join.py::test_equal_fingerprints_make_no_pair_and_each_other_pair_comes_once",
            "kernel/test_bands.py::test_a_pair_belongs_to_the_first_band_in_which_it_agrees_and_to_no_other",
            "stages/test_edges.py::test_both_joins_find_every_pair_once",
            "test_pipeline.py::test_all_pairs_on_request_and_the_same_groups",
        ),
        "Documents with one fingerprint are one node, so they make no pair at all; they are still one group.",
    ),
    Case(
        "F07",
        "a key that many documents share",
        (
            INPUTS + "test_three_thousand_copies_of_one_page_are_one_node",
            "kernel/test_band_join.py::test_hot_keys_lose_and_repeat_nothing",
            "kernel/test_band_join.py::test_a_key_too_large_for_a_slot_gets_slots_of_its_own",
            "store/test_adding.py::test_documents_that_come_again_join_nothing",
            "kernel/test_batch_query.py::test_many_copies_of_one_stored_page_are_asked_for_once",
        ),
        "Nothing is capped, so nothing has to be reported as left out.",
    ),
    Case(
        "F09",
        "a setting that changes nothing",
        (
            "test_pipeline.py::test_the_distance_that_is_set_is_the_one_that_counts",
            "kernel/test_recipe.py::test_every_field_changes_the_digest_and_shows_in_the_specification",
            "runtime/test_options.py::test_every_setting_has_an_option",
            "test_config_presets.py::test_an_option_beside_a_preset_wins_from_wherever_it_comes",
        ),
        "Fingerprints are given, so that neither punctuation nor calibration matters.",
    ),
    Case(
        "G01",
        "components that stop too early",
        (
            "kernel/test_forest.py::test_components_of_a_short_chain_are_not_split",
            "kernel/test_contraction.py::test_components_equal_networkx_however_the_work_is_shared_out",
            "stages/test_components.py::test_rounds_go_on_until_no_edge_is_left",
        ),
    ),
    Case(
        "G03",
        "results that depend on the run",
        (
            "test_dedup.py::test_order_files_partitions_and_adaptive_execution_change_no_row",
            "test_pipeline.py::test_partitions_and_adaptive_execution_change_no_row",
            "test_verification.py::test_partitions_and_order_change_nothing",
        ),
        "No generated id exists: nodes are fingerprints.",
    ),
    Case(
        "G05",
        "long chains",
        (
            "kernel/test_forest.py::test_a_chain_of_two_thousand_is_one_component",
            "kernel/test_contraction.py::test_rounds_grow_with_the_logarithm_even_in_pieces_of_one_edge",
            "stages/test_components.py::test_rounds_that_do_not_end_are_a_fault",
        ),
        "Each round is written, so that no plan grows.",
    ),
    Case(
        "G06",
        "a place for intermediate tables that is missing or closed",
        (
            LAKES + "test_a_place_that_cannot_be_written_is_found_before_the_work",
            "test_dedup.py::test_results_are_marked_whole_and_nothing_else_stays",
            "test_functions.py::test_find_duplicates_groups_a_frame_and_leaves_nothing_behind",
        ),
        "Stage tables lie in the work directory; Spark's checkpoint directory is not used.",
    ),
    Case(
        "G07",
        "chains of documents that are not alike",
        (
            "test_pipeline.py::test_a_chain_is_one_group_and_shows_how_far_its_ends_are_apart",
            "test_verification.py::test_a_chain_is_cut_at_its_representative",
            "test_alarms.py::test_chains_are_listed_with_their_weakest_edges",
            "test_alarms.py::test_the_share_of_all_documents_counts_too",
        ),
    ),
    Case(
        "G08",
        "nothing is duplicated",
        (
            RUNS + "test_one_document_alone_is_a_result",
            INPUTS + "test_nothing_duplicated_is_a_result_too",
            INPUTS + "test_no_row_is_a_result_with_all_columns",
            STORE + "test_a_first_batch_without_duplicates_is_all_new",
            STORE + "test_a_batch_that_brings_nothing_is_a_version_with_its_run",
        ),
    ),
    Case(
        "H01",
        "the wrong members are kept",
        (
            RUNS + "test_each_group_keeps_one_member_of_its_own_and_singles_stay",
            "test_dedup.py::test_filter_keeps_one_of_each_group_and_all_the_rest",
            "test_dedup.py::test_what_filter_kept_has_no_group",
            "stages/test_groups.py::test_one_member_of_every_group_represents_it",
            "stages/test_groups.py::test_every_policy_keeps_what_a_plain_sort_puts_first",
        ),
    ),
    Case(
        "H03",
        "ids that are not the user's",
        (
            INPUTS + "test_ids_and_texts_of_any_shape_are_mapped_back",
            "stages/test_documents.py::test_ids_of_any_plain_type_pass_unchanged",
            "test_dedup.py::test_groups_have_the_schema_of_the_contract",
        ),
        "The column is called doc_id in groups/, with the type of the user's; documents/ keeps the user's name.",
    ),
    Case(
        "H04",
        "another result than brute force",
        (
            "kernel/test_band_join.py::test_pairs_equal_brute_force_each_once",
            "kernel/test_band_join.py::test_four_groups_of_four_and_eight_singles_give_the_nine_pairs_of_brute_force",
            "test_pipeline.py::test_several_views_agree_with_a_comparison_of_all_pairs",
            "parity/test_real_edges.py::test_spark_finds_the_same_pairs_by_both_joins",
            "store/test_model.py::test_any_split_in_any_order_ends_in_the_partition_of_one_run",
        ),
    ),
    Case(
        "I03",
        "files that disagree on a type",
        (
            READING + "test_types_that_disagree_are_widened_and_no_value_changes",
            READING + "test_a_column_that_cannot_be_read_is_left_out_with_a_warning_and_refused_where_it_is_needed",
            INPUTS + "test_files_that_disagree_on_ids_and_columns_are_carried_whole",
        ),
    ),
    Case(
        "I04",
        "a column that some files lack",
        (
            READING + "test_a_text_that_only_later_files_have_is_found_and_the_rest_is_counted_in_a_warning",
            READING + "test_columns_that_only_some_files_have_are_null_in_the_others",
            INPUTS + "test_a_text_column_that_some_files_lack_is_counted",
        ),
    ),
    Case(
        "I05",
        "values of partition directories",
        (
            READING + "test_partition_values_are_the_text_of_the_path",
            "test_dedup.py::test_partition_directories_stay_as_they_were",
        ),
    ),
    Case(
        "I06",
        "types that Spark does not read",
        (
            READING + "test_nanoseconds_old_timestamps_and_unsigned_numbers_are_read_exactly_in_files_that_disagree",
            READING + "test_a_column_that_cannot_be_read_is_left_out_with_a_warning_and_refused_where_it_is_needed",
            INPUTS + "test_nanoseconds_that_nobody_asked_for_are_kept_as_numbers",
        ),
    ),
    Case(
        "I07",
        "text as bytes",
        (
            "stages/test_documents.py::test_text_in_bytes_is_read_as_utf8_and_faulty_bytes_are_replaced",
            LAKES + "test_bytes_that_are_no_text_are_one_replacement_character",
            LAKES + "test_every_column_keeps_its_bits_also_where_they_are_no_text",
        ),
    ),
    Case(
        "I08",
        "names with dots, names that differ in case",
        (
            "stages/test_documents.py::test_dots_in_names_are_a_flat_column_first_and_a_path_second",
            "stages/test_documents.py::test_columns_that_differ_only_in_case_are_refused_and_both_named",
            "stages/test_groups.py::test_columns_with_dots_can_decide",
            LAKES + "test_nested_columns_are_taken_by_their_paths",
            INPUTS + "test_columns_that_differ_in_case_stop_the_run_by_name",
        ),
    ),
    Case(
        "I09",
        "an output over its own input",
        (
            REFUSED + "test_a_wrong_call_is_one_line_and_exit_code_2_before_anything_is_written",
            "runtime/test_output.py::test_an_output_that_meets_the_input_is_refused",
            "runtime/test_storage.py::test_a_link_to_the_input_overlaps_it",
            "test_evaluate.py::test_an_output_over_the_labels_is_refused",
            STORE + "test_a_store_lies_apart_from_input_and_output",
        ),
    ),
    Case(
        "I11",
        "hundreds of small files",
        ("runtime/test_output.py::test_small_tables_are_few_files",),
        "How large a file may be is Spark's spark.sql.adaptive.advisoryPartitionSizeInBytes.",
    ),
    Case(
        "I12",
        "very long documents",
        (
            INPUTS + "test_texts_of_half_a_megabyte_and_endless_runs_get_through",
            INPUTS + "test_the_counts_name_every_row",
            LAKES + "test_documents_of_50_megabytes_get_through",
            "kernel/test_normalize.py::test_long_columns_are_widened_on_the_way_and_come_back_narrow",
            "kernel/test_fingerprint.py::test_a_long_text_is_cut_and_says_so",
        ),
    ),
    Case(
        "S01",
        "a match that does not name what it matches",
        (
            STORE + "test_a_duplicate_is_named_with_the_document_and_the_run_that_it_repeats",
            STORE + "test_filter_writes_the_new_documents_that_are_worth_keeping",
            "store/test_adding.py::test_every_batch_leaves_what_the_model_has",
        ),
    ),
    Case(
        "S02",
        "a store of other settings",
        (
            STORE + "test_another_specification_is_refused_with_every_key_that_differs",
            "index/test_index_directory.py::test_texts_are_refused_where_packages_make_other_fingerprints",
            "test_precompute.py::test_a_fitted_table_changes_fingerprints_and_is_in_the_digest",
            "runtime/test_recipes.py::test_the_content_of_every_file_is_in_the_digest",
        ),
    ),
    Case(
        "O01",
        "a failure that looks like success",
        (
            RUNS + "test_a_fault_in_a_worker_is_exit_code_1_and_is_told",
            REFUSED + "test_earlier_results_stay_until_the_new_ones_are_ready",
            "test_spark_submit.py::test_a_missing_input_is_exit_code_2_and_one_line",
            "test_alarms.py::test_the_alarm_is_exit_code_3",
        ),
    ),
    Case(
        "O02",
        "other packages on the executors",
        (
            "runtime/test_executors.py::test_a_package_that_is_missing_or_decisive_and_different_is_refused",
            "runtime/test_executors.py::test_another_version_of_the_rest_is_a_warning",
        ),
    ),
    Case(
        "O04",
        "what an earlier run left",
        (
            "test_dedup_resume.py::test_other_settings_and_other_input_in_one_work_directory_give_what_a_clean_one_gives",
            "test_dedup_resume.py::test_a_run_that_is_killed_at_every_stage_gives_the_same_results_and_repeats_no_finished_stage",
            "test_dedup_resume.py::test_a_run_without_calibration_has_no_thresholds_of_an_earlier_one",
            "runtime/test_tables.py::test_a_table_that_is_not_whole_is_made_again",
            STORE + "test_what_a_dead_run_left_is_not_seen_and_goes",
        ),
    ),
)
