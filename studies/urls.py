"""Addresses of annotators: joining, working, returning, leaving."""

from django.urls import path

from studies import api, device_views, views

app_name = "studies"
urlpatterns = [
    path("join/<slug:slug>/", views.join, name="join"),
    path("return/<str:token>/", views.return_, name="return"),
    path("work/<slug:slug>/", views.work, name="work"),
    path("work/<slug:slug>/welcome/", views.welcome, name="welcome"),
    path("work/<slug:slug>/device/", device_views.device, name="device"),
    path("work/<slug:slug>/leave/", views.leave, name="leave"),
    path("work/<slug:slug>/thanks/", views.thanks, name="thanks"),
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
