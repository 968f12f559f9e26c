"""Addresses of annotators: joining, working, returning, leaving."""

from django.urls import path

from studies import api, device_views, views, views_data, views_join

app_name = "studies"
urlpatterns = [
    path("join/<slug:slug>/", views_join.join, name="join"),
    path("invite/<str:token>/", views_join.invite, name="invite"),
    path("return/<str:token>/", views.return_, name="return"),
    path("work/<slug:slug>/", views.work, name="work"),
    path("work/<slug:slug>/welcome/", views.welcome, name="welcome"),
    path("work/<slug:slug>/device/", device_views.device, name="device"),
    path("work/<slug:slug>/leave/", views.leave, name="leave"),
    path("work/<slug:slug>/thanks/", views.thanks, name="thanks"),
    path("work/<slug:slug>/stop/", views_data.stop, name="stop"),
    path("work/<slug:slug>/data/", views_data.my_data, name="my_data"),
    path("work/<slug:slug>/data/file/", views_data.my_data_file, name="my_data_file"),
    path("work/<slug:slug>/withdraw/", views_data.withdraw, name="withdraw"),
    path("media/<str:signed>/", views.media, name="media"),
    path("device/<str:signed>/", device_views.device_film, name="device_film"),
    path("api/work/<slug:slug>/open", api.OpenView.as_view(), name="api_open"),
    path("api/work/<slug:slug>/events", api.EventsView.as_view(), name="api_events"),
    path("api/work/<slug:slug>/heartbeat", api.HeartbeatView.as_view(), name="api_heartbeat"),
    path("api/work/<slug:slug>/hand_in", api.HandInView.as_view(), name="api_hand_in"),
    path(
        "api/work/<slug:slug>/device/start", device_views.DeviceStartView.as_view(), name="api_device_start"
    ),
    path(
        "api/work/<slug:slug>/device/answer",
        device_views.DeviceAnswerView.as_view(),
        name="api_device_answer",
    ),
    path("api/work/<slug:slug>/device/pass", device_views.DevicePassView.as_view(), name="api_device_pass"),
    path("api/work/<slug:slug>/device/fail", device_views.DeviceFailView.as_view(), name="api_device_fail"),
]
